/**
 * The access token, or a function that returns it. The function is called before each try, so it should cache its
 * result. When the service refuses a token (401), the function is called once more, with the refused token.
 */
export type TokenSource = string | ((refused?: string) => string | Promise<string>);

/** One try of a call: the request, and the raw answer. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** 1 for the first try of the call. */
  readonly attempt: number;
  /** The time until the answer was read; of a stream, until it began. */
  readonly durationMs: number;
  /** The status and headers of the answer, if there was one: `request-id`, for example, and `ratelimit`. */
  readonly status?: number;
  readonly headers?: Headers;
  /** The text of a successful answer, as it was sent; undefined for a stream. */
  readonly body?: string;
  /** The error of a try that failed, which may be tried again. */
  readonly error?: unknown;
}

/** The options of every call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The time limit of the whole call with its retries, in milliseconds; 60,000 by default, `Infinity` for none. */
  readonly timeoutMs?: number;
  /**
   * The time limit of one try, in milliseconds; 20,000 by default. In a stream it is the longest wait for the next
   * part.
   */
  readonly tryTimeoutMs?: number;
  /** The number of tries after the first one; 4 by default. */
  readonly retriesMax?: number;
  /** More headers to send, such as `traceparent` (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Called after each try: to log or trace it, or to read the raw answer beside the parsed one. The hooks of the client
   * and of the call are both called. An error that it throws ends the call.
   */
  readonly onExchange?: (exchange: Exchange) => void;
}

export interface ClientOptions extends Omit<CallOptions, "signal"> {
  /** The base address, as in "https://plants.example.com"; "/v1" is added. */
  readonly url: string | URL;
  readonly token: TokenSource;
  /**
   * The name and version of the program that uses the client, as in "nursery-import/2.1", for `User-Agent`. Browsers send
   * their own.
   */
  readonly application?: string;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>;
}
