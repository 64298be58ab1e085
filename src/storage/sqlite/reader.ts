import { unavailable } from "#core/failure.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import type { PlantPage, PlantQuery } from "#core/store.ts";
import { storageUnavailable } from "./errors.ts";
import type { Answered, Answers, Asked, Question } from "./reading.ts";

/** More searches than that at once would only wait for each other. */
const WAITING_LENGTH_MAX = 512;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Hands long reads to a thread of their own, which is started with the first of them. */
export class Reader {
  readonly #path: string;
  readonly #observer: Observer;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #questions = 0;
  #exports = 0;
  #closed = false;

  constructor(path: string, observer: Observer) {
    this.#path = path;
    this.#observer = observer;
  }

  async search(account: AccountNumber, query: PlantQuery): Promise<PlantPage> {
    const start = performance.now();
    const page = await this.#ask({ kind: "search", account, query });
    this.#observer.searched({ ms: performance.now() - start });
    return page;
  }

  /** One page is read ahead, and no more. Ending the iteration early lets go of the state of the file that it reads. */
  async *export(account: AccountNumber): AsyncGenerator<readonly Plant[], void> {
    const number = ++this.#exports;
    try {
      let page = await this.#ask({ kind: "export", account, export: number });
      while (page.length > 0) {
        const next = this.#ask({ kind: "export-more", export: number });
        next.catch(() => undefined);
        yield page;
        page = await next;
      }
    } finally {
      if (this.#worker) await this.#ask({ kind: "export-end", export: number });
    }
  }

  close(): void {
    this.#closed = true;
    this.#abandon(() => unavailable("The service is shutting down. Try again."));
  }

  #ask<Kind extends Question["kind"]>(question: Question & { kind: Kind }): Promise<Answers[Kind]> {
    if (this.#closed) return Promise.reject(unavailable("The service is shutting down. Try again."));
    if (this.#waiting.size >= WAITING_LENGTH_MAX)
      return Promise.reject(unavailable("The service is overloaded with searches. Try again."));
    const number = ++this.#questions;
    const asked: Asked = { path: this.#path, number, question };
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve: resolve as Waiting["resolve"], reject });
      this.#startedWorker().postMessage(asked);
    });
  }

  #startedWorker(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./reading-worker.ts", import.meta.url), { smol: true });
    worker.onmessage = ({ data }: MessageEvent<Answered>) => this.#settle(data);
    worker.onerror = ({ message }) => {
      const error = new Error(`The reading thread failed: ${message}`);
      this.#observer.failed("reader", error);
      this.#abandon(() => error);
    };
    this.#worker = worker;
    return worker;
  }

  #settle(answered: Answered): void {
    const waiting = this.#waiting.get(answered.number);
    this.#waiting.delete(answered.number);
    if ("answer" in answered) waiting?.resolve(answered.answer);
    else waiting?.reject(answered.trouble ? storageUnavailable(answered.error) : new Error(answered.error));
  }

  /** The next question starts another thread. */
  #abandon(reason: () => Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(reason());
    this.#waiting.clear();
  }
}
