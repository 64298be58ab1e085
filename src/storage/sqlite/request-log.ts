import { existsSync } from "node:fs";
import { unavailable } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { FoundRequest, LoggedRequest, RequestLogQuery, RequestLogStore } from "#core/request-log.ts";
import { WorkerThread } from "./worker-thread.ts";

export type RequestLogQuestion =
  /** Sent as one JSON string, since a structured clone takes three times as long. */
  | { readonly kind: "add"; readonly requests: string; readonly bytesMax: number }
  | { readonly kind: "list"; readonly account: AccountNumber; readonly query: RequestLogQuery }
  | { readonly kind: "oldest"; readonly account: AccountNumber }
  | { readonly kind: "forget"; readonly from: number }
  | { readonly kind: "removeSome"; readonly account: AccountNumber };

interface Answers {
  readonly add: undefined;
  readonly list: FoundRequest[];
  readonly oldest: number | undefined;
  readonly forget: boolean;
  readonly removeSome: boolean;
}

/** The request log in a file beside the database, written by a worker that the first request starts. */
export class SqliteRequestLog implements RequestLogStore {
  readonly #path: string;
  readonly #thread: WorkerThread<RequestLogQuestion, Answers>;

  /** `path` is the path of the database. */
  constructor(path: string) {
    this.#path = requestLogPath(path);
    this.#thread = new WorkerThread({
      path: this.#path,
      start: () => new Worker(new URL("./request-log-worker.ts", import.meta.url), { smol: true }),
      refusal: ({ error }) => unavailable(`The request log cannot be used: ${error}`),
      failed: (reason) => unavailable(`The request log's worker ${reason}`),
    });
  }

  async add(requests: readonly LoggedRequest[], bytesMax = Number.MAX_SAFE_INTEGER): Promise<void> {
    await this.#thread.ask({ kind: "add", requests: JSON.stringify(requests), bytesMax });
  }

  list(account: AccountNumber, query: RequestLogQuery): Promise<FoundRequest[]> {
    return this.#thread.ask({ kind: "list", account, query });
  }

  oldest(account: AccountNumber): Promise<number | undefined> {
    return this.#thread.ask({ kind: "oldest", account });
  }

  forget(from: number): Promise<boolean> {
    return this.#thread.ask({ kind: "forget", from });
  }

  /** A file that cannot be written keeps its rows until they are too old; the account is removed all the same. */
  async removeAll(account: AccountNumber): Promise<void> {
    let more = existsSync(this.#path);
    // A part at a time, so that requests are logged in between.
    while (more) more = await this.#thread.ask({ kind: "removeSome", account }).catch(() => false);
  }

  close(): void {
    this.#thread.close();
  }
}

/** `plantstore-requests.db` beside `plantstore.db`. */
function requestLogPath(path: string): string {
  return path.endsWith(".db") ? path.replace(/\.db$/, "-requests.db") : `${path}-requests.db`;
}
