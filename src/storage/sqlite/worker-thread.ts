import { unavailable } from "#core/failure.ts";

/** A question to a worker, about the file of that path. */
export interface Asked<Question> {
  readonly path: string;
  readonly number: number;
  readonly question: Question;
}

interface WorkerError {
  readonly error: string;
  readonly isStorageError: boolean;
}

export type Answered =
  | { readonly number: number; readonly answer: unknown }
  | ({ readonly number: number } & WorkerError);

interface WorkerOptions {
  readonly path: string;
  start(): Worker;
  /** The form in which an error of the worker reaches the one who asked. */
  refusal(error: WorkerError): Error;
  /** Called when the worker itself failed; gives the error of all who wait for it. */
  failed(reason: string): Error;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

interface Asking {
  readonly kind: string;
}

/**
 * A worker that answers questions about a file on a thread of its own, one after the other (`worker-answers.ts` is its
 * side). The first question starts it, and the next one starts another if it has ended.
 */
export class WorkerThread<Question extends Asking, Answers extends Record<Question["kind"], unknown>> {
  readonly #options: WorkerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #questions = 0;
  #closed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  ask<Kind extends Question["kind"]>(question: Question & { kind: Kind }): Promise<Answers[Kind]> {
    if (this.#closed) return Promise.reject(shuttingDown());
    const number = ++this.#questions;
    const asked: Asked<Question> = { path: this.#options.path, number, question };
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve: resolve as Waiting["resolve"], reject });
      this.#startedWorker().postMessage(asked);
    });
  }

  close(): void {
    this.#closed = true;
    this.#abandon(shuttingDown());
  }

  #startedWorker(): Worker {
    if (this.#worker) return this.#worker;
    const worker = this.#options.start();
    worker.onmessage = ({ data }: MessageEvent<Answered>) => this.#settle(data);
    worker.onerror = ({ message }) => this.#abandon(this.#options.failed(`failed: ${message}`));
    // A thread that is ended from outside, or ends itself, reports no error.
    worker.addEventListener("close", () => {
      if (this.#worker === worker) this.#abandon(this.#options.failed("has ended"));
    });
    this.#worker = worker;
    return worker;
  }

  #settle(answered: Answered): void {
    const waiting = this.#waiting.get(answered.number);
    this.#waiting.delete(answered.number);
    if ("answer" in answered) waiting?.resolve(answered.answer);
    else waiting?.reject(this.#options.refusal(answered));
  }

  #abandon(reason: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}

function shuttingDown(): Error {
  return unavailable("The service is shutting down. Try again.");
}
