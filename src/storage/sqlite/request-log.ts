import { existsSync } from "node:fs";
import { unavailable } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type {
  FoundRequest,
  LoggedRequest,
  RequestLogBounds,
  RequestLogQuery,
  RequestLogStore,
} from "#core/request-log.ts";

type Question =
  /** Sent as one JSON string, since a structured clone takes three times as long. */
  | { readonly kind: "add"; readonly requests: string }
  | { readonly kind: "list"; readonly account: AccountNumber; readonly query: RequestLogQuery }
  | { readonly kind: "oldest"; readonly account: AccountNumber }
  | { readonly kind: "forget"; readonly bounds: RequestLogBounds }
  | { readonly kind: "removeSome"; readonly account: AccountNumber };

export type RequestLogQuestion = Question & { readonly path: string; readonly number: number };

export interface RequestLogAnswer {
  readonly number: number;
  readonly answer?: unknown;
  readonly error?: string;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** The request log in a file beside the database, written by a worker that the first request starts. */
export class SqliteRequestLog implements RequestLogStore {
  readonly #path: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #questions = 0;

  /** `path` is the path of the database. */
  constructor(path: string) {
    this.#path = requestLogPath(path);
  }

  async add(requests: readonly LoggedRequest[]): Promise<void> {
    await this.#ask({ kind: "add", requests: JSON.stringify(requests) });
  }

  async list(account: AccountNumber, query: RequestLogQuery): Promise<FoundRequest[]> {
    return (await this.#ask({ kind: "list", account, query })) as FoundRequest[];
  }

  async oldest(account: AccountNumber): Promise<number | undefined> {
    return (await this.#ask({ kind: "oldest", account })) as number | undefined;
  }

  async forget(bounds: RequestLogBounds): Promise<boolean> {
    return (await this.#ask({ kind: "forget", bounds })) as boolean;
  }

  /** A file that cannot be written keeps its rows until they are too old; the account is removed all the same. */
  async removeAll(account: AccountNumber): Promise<void> {
    let more = existsSync(this.#path);
    // A part at a time, so that requests are logged in between.
    while (more) more = await this.#ask({ kind: "removeSome", account }).then(Boolean, () => false);
  }

  close(): void {
    this.#abandon("The service is shutting down");
  }

  #ask(question: Question): Promise<unknown> {
    const number = ++this.#questions;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#startedWorker().postMessage({ ...question, path: this.#path, number } satisfies RequestLogQuestion);
    });
  }

  #startedWorker(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./request-log-worker.ts", import.meta.url), { smol: true });
    worker.onmessage = ({ data: { number, answer, error } }: MessageEvent<RequestLogAnswer>) => {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (error === undefined) waiting?.resolve(answer);
      else waiting?.reject(unavailable(`The request log cannot be used: ${error}`));
    };
    worker.onerror = ({ message }) => this.#abandon(`The request log's worker failed: ${message}`);
    // A thread that is ended from outside, or ends itself, reports no error.
    worker.addEventListener("close", () => {
      if (this.#worker === worker) this.#abandon("The request log's worker has ended");
    });
    this.#worker = worker;
    return worker;
  }

  /** The next question starts another worker. */
  #abandon(reason: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(unavailable(reason));
    this.#waiting.clear();
  }
}

/** `plantstore-requests.db` beside `plantstore.db`. */
function requestLogPath(path: string): string {
  return path.endsWith(".db") ? path.replace(/\.db$/, "-requests.db") : `${path}-requests.db`;
}
