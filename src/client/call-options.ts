/**
 * The access token, or a function that returns it. The function is called before each try, so it should cache its result;
 * when the service refuses a token (401), the function is called once more and given the refused one.
 */
export type TokenSource = string | ((refused?: string) => string | Promise<string>);

/** The options of every call. */
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
