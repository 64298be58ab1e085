import type { AccountNumber } from "./plant.ts";

/** A request of an account as its log keeps it. It never holds a secret. */
export interface LoggedRequest {
  readonly account: AccountNumber;
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** With the query's parameters that are kept. */
  readonly path: string;
  readonly status: number;
  readonly error?: number;
  readonly ms: number;
  /** Undefined for a request with a session. */
  readonly token?: { readonly id: string; readonly name: string };
  readonly address?: string;
  readonly agent?: string;
  readonly bytesIn?: number;
  /** The message of a refusal. */
  readonly message?: string;
  readonly plantId?: string;
  /** True for a create that was repeated. */
  readonly replayed?: boolean;
  /** The number of such requests in the same second, where not all are kept. */
  readonly sampledOf?: number;
  readonly traceId?: string;
  /** The beginning of a refused body. */
  readonly excerpt?: string;
}

export interface RequestLogQuery {
  /** Any of these: statuses, or classes of them from 1 to 5. */
  readonly status?: readonly number[];
  readonly error?: number;
  readonly token?: string;
  /** The beginning of the path. */
  readonly path?: string;
  readonly plant?: string;
  readonly address?: string;
  readonly requestId?: string;
  readonly from?: number;
  readonly to?: number;
  /** Requests that were logged before this one. */
  readonly before?: number;
  readonly limit: number;
}

/** A request with its position in the log, for the next page. */
export interface FoundRequest {
  readonly number: number;
  readonly request: LoggedRequest;
}

/** The bounds of the log; the oldest requests go first. */
export interface RequestLogBounds {
  /** Requests before this time, in milliseconds since 1970, are removed. */
  readonly from: number;
  readonly bytesMax: number;
}

/** The request log of all accounts. It is a log: a crash may lose the last second of it. */
export interface RequestLogStore {
  /** Rejects if they could not be kept; nobody waits for a second attempt. */
  add(requests: readonly LoggedRequest[]): Promise<void>;
  /** Newest first. */
  list(account: AccountNumber, query: RequestLogQuery): Promise<FoundRequest[]>;
  /** The time of the oldest request of the account. */
  oldest(account: AccountNumber): Promise<number | undefined>;
  /** Removes some of what lies outside the bounds; true if there is more. */
  forget(bounds: RequestLogBounds): Promise<boolean>;
}
