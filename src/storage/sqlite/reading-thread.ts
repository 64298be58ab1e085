import { storageUnavailable, unavailable } from "#core/failure.ts";
import type { Observer } from "#core/observer.ts";
import type { Answered, Answers, Asked, Question } from "./reading.ts";

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** A worker that reads the file on a separate thread. The first question starts it. */
export class ReadingThread {
  readonly #path: string;
  readonly #observer: Observer;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #questions = 0;
  #closed = false;

  constructor(path: string, observer: Observer) {
    this.#path = path;
    this.#observer = observer;
  }

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  ask<Kind extends Question["kind"]>(question: Question & { kind: Kind }): Promise<Answers[Kind]> {
    if (this.#closed) return Promise.reject(shuttingDown());
    const number = ++this.#questions;
    const asked: Asked = { path: this.#path, number, question };
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve: resolve as Waiting["resolve"], reject });
      this.#startedWorker().postMessage(asked);
    });
  }

  close(): void {
    this.#closed = true;
    this.#abandon(shuttingDown);
  }

  #startedWorker(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./reading-worker.ts", import.meta.url), { smol: true });
    worker.onmessage = ({ data }: MessageEvent<Answered>) => this.#settle(data);
    worker.onerror = ({ message }) => this.#fail(`The reading thread failed: ${message}`);
    // A thread that is ended from outside, or ends itself, reports no error.
    worker.addEventListener("close", () => {
      if (this.#worker === worker) this.#fail("The reading thread has ended");
    });
    this.#worker = worker;
    return worker;
  }

  #settle(answered: Answered): void {
    const waiting = this.#waiting.get(answered.number);
    this.#waiting.delete(answered.number);
    if ("answer" in answered) waiting?.resolve(answered.answer);
    else waiting?.reject(answered.isStorageError ? storageUnavailable(answered.error) : new Error(answered.error));
  }

  #fail(message: string): void {
    const error = new Error(message);
    this.#observer.failed("reader", error);
    this.#abandon(() => error);
  }

  /** The next question starts another worker. */
  #abandon(reason: () => Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(reason());
    this.#waiting.clear();
  }
}

function shuttingDown(): Error {
  return unavailable("The service is shutting down. Try again.");
}
