import { setPriority } from "node:os";
import { isStorageError } from "./errors.ts";
import type { Answered, Asked } from "./worker-thread.ts";

declare const self: Worker;

const LOW_PRIORITY = 10;

/** On Linux a thread has a priority of its own: if processors are short, creates come before everything else. */
export function giveWayToCreates(): void {
  if (process.platform === "linux") setPriority(LOW_PRIORITY);
}

/** The side of a `WorkerThread` that runs in the worker: each question gets its answer, or the error that it met. */
export function answerQuestions<Question>(answer: (path: string, question: Question) => unknown): void {
  giveWayToCreates();
  self.onmessage = ({ data: { path, number, question } }: MessageEvent<Asked<Question>>) => {
    self.postMessage(answered(number, () => answer(path, question)));
  };
}

function answered(number: number, answer: () => unknown): Answered {
  try {
    return { number, answer: answer() };
  } catch (error) {
    return { number, error: String(error), isStorageError: isStorageError(error) };
  }
}
