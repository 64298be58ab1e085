import type { AccountNumber } from "./plant.ts";

/** A request of an account as the log stores it. It never holds a secret. */
export interface LoggedRequest {
  readonly account: AccountNumber;
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** The path with the query parameters that are stored. */
  readonly path: string;
  readonly status: number;
  readonly error?: number;
  readonly ms: number;
  /** Undefined for a request made with a session. */
  readonly token?: { readonly id: string; readonly name: string };
  readonly address?: string;
  readonly agent?: string;
  readonly bytesIn?: number;
  /** The message of the refusal, if there was one. */
  readonly message?: string;
  readonly plantId?: string;
  /** True for a create that repeated an earlier one. */
  readonly replayed?: boolean;
  /** The number of similar requests in the same second, if only some of them are stored. */
  readonly sampledOf?: number;
  readonly traceId?: string;
  /** The beginning of the body of a refused request. */
  readonly excerpt?: string;
}

export interface RequestLogQuery {
  /** Requests with any of these statuses; 1 to 5 stand for a class of statuses. */
  readonly status?: readonly number[];
  readonly error?: number;
  readonly token?: string;
  /** The path begins with this text. */
  readonly path?: string;
  readonly plant?: string;
  readonly address?: string;
  readonly requestId?: string;
  readonly from?: number;
  readonly to?: number;
  /** Requests that were logged before this position. */
  readonly before?: number;
  readonly limit: number;
}

/** A request with its position in the log, from which the next page continues. */
export interface FoundRequest {
  readonly number: number;
  readonly request: LoggedRequest;
}

/** The bounds of the log. Outside them the oldest requests are removed first. */
export interface RequestLogBounds {
  /** Requests before this time, in milliseconds since 1970, are removed. */
  readonly from: number;
  readonly bytesMax: number;
}

/** The request log of all accounts. A crash may lose its last second. */
export interface RequestLogStore {
  /** Rejects if the requests could not be stored; they are not tried again. */
  add(requests: readonly LoggedRequest[]): Promise<void>;
  /** Newest first. */
  list(account: AccountNumber, query: RequestLogQuery): Promise<FoundRequest[]>;
  /** The time of the oldest request of the account. */
  oldest(account: AccountNumber): Promise<number | undefined>;
  /** Removes some of the requests outside the bounds. Resolves with true if there are more. */
  forget(bounds: RequestLogBounds): Promise<boolean>;
}
