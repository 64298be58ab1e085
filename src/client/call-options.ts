/**
 * The access token, or what gives it. A function is asked before each try, so it should keep what it has fetched;
 * when the service refuses a token (401), the function is asked once more and given the refused one.
 */
export type TokenSource = string | ((refused?: string) => string | Promise<string>);

/** What each call takes. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For the whole call with its retries; 60,000 by default, `Infinity` for no end. */
  readonly timeoutMs?: number;
  /** For one try; 20,000 by default. In a stream: the longest wait for its next part. */
  readonly tryTimeoutMs?: number;
  /** Tries after the first one; 4 by default. */
  readonly retriesMax?: number;
}

export interface ClientOptions extends Omit<CallOptions, "signal"> {
  /** The base address, as in "https://plants.example.com"; "/v1" is added. */
  readonly url: string | URL;
  readonly token: TokenSource;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>;
}
