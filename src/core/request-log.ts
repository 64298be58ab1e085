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
  /** The duration in milliseconds. */
  readonly ms: number;
  /** "dashboard" for a request of the dashboard's page. */
  readonly source?: "dashboard";
  /** Undefined for a request of the dashboard's page. */
  readonly token?: { readonly id: string; readonly name: string };
  /** The person whose page sent the request, with their e-mail address as the name. */
  readonly person?: { readonly id: string; readonly name: string };
  readonly address?: string;
  readonly agent?: string;
  readonly bytesIn?: number;
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
  /** The dashboard's own requests. Without it, only a search for a request's id finds them. */
  readonly source?: "dashboard";
  readonly from?: number;
  readonly to?: number;
  /** Requests that were logged before this position, a decimal. */
  readonly before?: string;
  readonly limit: number;
}

/** The request log of all accounts. A crash may lose its last second. */
export interface RequestLogRecords {
  /**
   * Rejects if the requests could not be stored; they are not tried again. The log never takes more than `bytesMax` of
   * the disk: the oldest requests of the account that has most are removed first.
   */
  add(requests: readonly LoggedRequest[], bytesMax?: number): Promise<void>;
  /** Removes some of the requests before this time, in milliseconds since 1970. Resolves with true if there are more. */
  forget(from: number): Promise<boolean>;
}
