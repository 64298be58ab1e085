import type { DeliveryError } from "#core/webhook.ts";
import { type AllowedNetworks, type Lookup, resolveTarget } from "./address.ts";
import { retryAfterMs } from "./retry-after.ts";

const CONNECT_MS_MAX = 5000;
const TOTAL_MS_MAX = 15_000;
const EXCERPT_BYTES_MAX = 1024;
/** After the status the body gets this much time, so that a slow receiver does not occupy the slot. */
const EXCERPT_MS_MAX = 1000;
/** A receiver that answered within this time counts as reachable. */
const REACHABLE_MS = 60_000;

export interface Outgoing {
  readonly url: string;
  /** The signed body, with the same bytes for every attempt. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface AttemptResult {
  readonly succeeded: boolean;
  readonly httpStatus: number | undefined;
  readonly error: DeliveryError | undefined;
  readonly ms: number;
  /** The delay that the receiver asked for. */
  readonly retryAfterMs: number | undefined;
  readonly excerpt: string | undefined;
}

export interface SenderOptions {
  readonly networks: AllowedNetworks;
  readonly lookup: Lookup;
  /** An egress proxy, which then looks up names and protects the network itself. */
  readonly proxy: string | undefined;
}

const FAILED = { succeeded: false, httpStatus: undefined, retryAfterMs: undefined, excerpt: undefined };

/** Sends webhook requests: one try each, to one address that was checked just before. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #reachableUntil = new Map<string, number>();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async attempt(outgoing: Outgoing): Promise<AttemptResult> {
    const start = performance.now();
    const elapsed = () => performance.now() - start;
    const url = new URL(outgoing.url);
    const target = await this.#target(url);
    if ("error" in target) return { ...FAILED, error: target.error, ms: elapsed() };
    try {
      const response = await fetch(target.url, {
        ...target.options,
        method: "POST",
        body: outgoing.body,
        headers: {
          "Content-Type": "application/json",
          "User-Agent": "Plantstore-Webhooks/1.0",
          ...outgoing.headers,
          Host: url.host,
        },
        redirect: "manual",
        decompress: false,
        signal: AbortSignal.timeout(Math.max(1, TOTAL_MS_MAX - elapsed())),
      });
      const excerpt = await excerptOf(response);
      return resultOf(response, excerpt, elapsed());
    } catch (error) {
      this.#reachableUntil.delete(url.origin);
      return { ...FAILED, error: errorOf(error), ms: elapsed() };
    }
  }

  async #target(url: URL): Promise<{ url: string; options: BunFetchRequestInit } | { error: DeliveryError }> {
    const { networks, lookup, proxy } = this.#options;
    if (proxy !== undefined) return { url: url.href, options: { proxy } };
    const found = await resolveTarget(url, networks, lookup);
    if ("error" in found) return found;
    const { address } = found;
    if (!(await this.#reaches(url, address))) return { error: "connect" };
    const pinned = new URL(url);
    pinned.hostname = address.includes(":") ? `[${address}]` : address;
    const serverName = url.hostname.replace(/^\[|\]$/g, "");
    const tls = url.protocol === "https:" ? { tls: { serverName } } : {};
    // Otherwise `fetch` would obey HTTP_PROXY and the like; only WEBHOOK_PROXY sets a proxy for webhooks.
    return { url: pinned.href, options: { ...tls, proxy: false } };
  }

  /** `fetch` has no time limit for connecting, so a receiver that was silent for a while is tried first. */
  async #reaches(url: URL, address: string): Promise<boolean> {
    const now = Date.now();
    if ((this.#reachableUntil.get(url.origin) ?? 0) > now) return true;
    if (this.#reachableUntil.size > 10_000) this.#reachableUntil.clear();
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
    if (!(await connects(address, port))) return false;
    this.#reachableUntil.set(url.origin, now + REACHABLE_MS);
    return true;
  }
}

async function connects(hostname: string, port: number): Promise<boolean> {
  const socket = Bun.connect({ hostname, port, socket: { data() {}, error() {}, connectError() {} } });
  const late = Bun.sleep(CONNECT_MS_MAX).then(() => undefined);
  const opened = await Promise.race([socket.catch(() => undefined), late]);
  void socket.then((each) => each.end()).catch(() => undefined);
  return opened !== undefined;
}

function resultOf(response: Response, excerpt: string | undefined, ms: number): AttemptResult {
  const { status } = response;
  const succeeded = status >= 200 && status < 300;
  const error = succeeded ? undefined : errorOfStatus(status);
  const retry = succeeded ? undefined : retryAfterMs(response.headers.get("retry-after"), Date.now());
  return { succeeded, httpStatus: status, error, ms, retryAfterMs: retry, excerpt };
}

function errorOfStatus(status: number): DeliveryError {
  if (status >= 300 && status < 400) return "redirect";
  return status === 429 ? "too_many" : "http_status";
}

/** The beginning of the body as text; the rest is not read. */
async function excerptOf({ body }: Response): Promise<string | undefined> {
  if (!body) return undefined;
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => undefined);
  const deadline = setTimeout(leave, EXCERPT_MS_MAX);
  const bytes = new Bun.ArrayBufferSink();
  bytes.start({ asUint8Array: true });
  let size = 0;
  while (size < EXCERPT_BYTES_MAX) {
    const part = await reader.read().catch(() => undefined);
    if (!part || part.done) break;
    bytes.write(part.value.subarray(0, EXCERPT_BYTES_MAX - size));
    size += part.value.length;
  }
  clearTimeout(deadline);
  leave();
  if (size === 0) return undefined;
  return new TextDecoder().decode(bytes.end() as Uint8Array).replaceAll("\0", "\ufffd");
}

const TLS_ERROR = /CERT|SSL|TLS|UNABLE_TO|SELF_SIGNED|HOSTNAME/i;

function errorOf(error: unknown): DeliveryError {
  const { name = "", code = "", message = "" } = error instanceof Error ? (error as Error & { code?: string }) : {};
  if (name === "TimeoutError" || name === "AbortError") return "timeout";
  if (TLS_ERROR.test(String(code)) || TLS_ERROR.test(message)) return "tls";
  return "connect";
}
