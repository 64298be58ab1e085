import { version } from "#package.json";

/** The version of the client, which is released with the service. That of the interface differs. */
export const CLIENT_VERSION: string = version;

const PRODUCTS = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
/** The characters allowed in a header's value. With any other, the runtime's own error would repeat the token. */
const SENDABLE = /^[\x21-\x7e]+$/;

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
  /** The error of a try that failed. */
  readonly error?: unknown;
  /** If another try follows: when the call is given up, in milliseconds since 1970, or `Infinity`. */
  readonly retriedUntil?: number;
}

/** The options of every call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The time limit of the whole call with its retries, in milliseconds; 60,000 by default, `Infinity` for none. */
  readonly timeoutMs?: number;
  /** The time limit of one try, in milliseconds; 20,000 by default. In a stream, the longest wait for the next part. */
  readonly tryTimeoutMs?: number;
  /** The number of tries after the first one; 4 by default. Those of which nothing was sent do not count, unless it is 0. */
  readonly retriesMax?: number;
  /** More headers to send, such as `traceparent` (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Called after each try: to log or trace it, or to read the raw answer beside the parsed one. The hooks of the client
   * and of the call are both called. An error that it throws ends the call.
   */
  readonly onExchange?: (exchange: Exchange) => void;
}

const CALL_OPTIONS = Object.keys({
  signal: true,
  timeoutMs: true,
  tryTimeoutMs: true,
  retriesMax: true,
  headers: true,
  onExchange: true,
} satisfies Record<keyof CallOptions, true>);

/**
 * Throws a TypeError for an option that is neither one of every call nor one of `own`, those of this method. JavaScript lets a
 * misspelt `dryRun` pass, and the call would write.
 */
export function requireKnownOptions(options: object, own: readonly string[] = []): void {
  const known = [...own, ...CALL_OPTIONS];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(
    `There is no option ${JSON.stringify(unknown)}: the options of this call are ${known.join(", ")}`,
  );
}

export interface ClientOptions extends Omit<CallOptions, "signal"> {
  /** The base address, as in "https://plants.example.com"; "/v1" is added. By default that of `PLANTSTORE_URL`. */
  readonly url?: string | URL;
  /** Defaults to `PLANTSTORE_TOKEN`. Null sends none, for a `fetch` that identifies the caller in another way. */
  readonly token?: TokenSource | null;
  /** The name and version of the program, as in "nursery-import/2.1", for `User-Agent`. Browsers send their own. */
  readonly application?: string;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>;
}

/** An option that the program leaves to its environment. Browsers have none. Throws a TypeError if it is not set. */
export function fromEnvironment(option: "url" | "token"): string {
  const name = `PLANTSTORE_${option.toUpperCase()}`;
  const value = globalThis.process?.env?.[name];
  if (!value) throw new TypeError(`There is no ${option}: pass one, or set ${name}`);
  return value;
}

/** The base address without a slash at its end, which would be doubled. Throws a TypeError if it is not valid. */
export function baseAddress(url: string | URL): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError("The url must be an http or https address, as in https://plants.example.com");
  }
  if (parsed.username || parsed.password || /[?#]/.test(parsed.href)) {
    throw new TypeError("The url must hold no user, password, query or fragment");
  }
  return parsed.href.replace(/\/+$/, "");
}

/** The token to send. `refused` is the token that the service has just refused. No error ever contains a token. */
export async function currentToken(source: TokenSource, refused?: string): Promise<string> {
  const token = typeof source === "function" ? await source(refused) : source;
  if (typeof token === "string" && SENDABLE.test(token)) return token;
  if (typeof token === "string" && /\s/.test(token)) {
    throw new TypeError(
      "The token must have no blank and no line break: one that was read from a file often ends in one",
    );
  }
  throw new TypeError("The token must be a string of visible ASCII characters, as in plant_…");
}

/**
 * The header that names the program and the client to the service (RFC 9110, 10.1.5). Browsers send their own, and would
 * need the service's permission first to send another. Throws a TypeError for a name that no header can hold.
 */
export function userAgent(application?: string): Record<string, string> {
  if (application !== undefined && !PRODUCTS.test(application)) {
    throw new TypeError('The application must be a name and a version in ASCII, as in "nursery-import/2.1"');
  }
  const isBrowser = globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false;
  const client = `plantstore-client/${CLIENT_VERSION}`;
  return isBrowser ? {} : { "User-Agent": application === undefined ? client : `${application} ${client}` };
}
