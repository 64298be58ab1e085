/**
 * The access token, or a function that returns it. The function is called before each try, so it should cache its
 * result. When the service refuses a token (401), the function is called once more, with the refused token.
 */
export type TokenSource = string | ((refused?: string) => string | Promise<string>);

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
}

export interface ClientOptions extends Omit<CallOptions, "signal"> {
  /** The base address, as in "https://plants.example.com"; "/v1" is added. */
  readonly url: string | URL;
  readonly token: TokenSource;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>;
}
