import { retryAfterMs } from "#contract/headers.ts";
import { signedHeaders } from "#contract/webhook-signature.ts";
import type { Delivery, DeliveryError } from "#core/webhook.ts";
import type { OpenedSecret } from "#storage/sealed-secret.ts";
import { type AllowedNetworks, type Lookup, resolveTarget } from "./address.ts";
import { Connections, type ReceiverAnswer, RequestFailed } from "./connections.ts";

export interface Outgoing {
  readonly url: string;
  /** The signed body, with the same bytes for every attempt. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface AttemptResult extends Pick<Delivery, "httpStatus" | "error" | "ms" | "excerpt"> {
  readonly succeeded: boolean;
  /** The delay that the receiver asked for. */
  readonly retryAfterMs: number | undefined;
}

export interface SenderOptions {
  readonly networks: AllowedNetworks;
  readonly lookup: Lookup;
  /** An egress proxy, which then looks up names and protects the network itself. */
  readonly proxy: string | undefined;
}

/** Sends webhook requests: one try each, to the first address that connects of those that were checked just before. */
export class Sender {
  readonly #connections: Connections;

  constructor(private readonly options: SenderOptions) {
    this.#connections = new Connections(options.proxy);
  }

  async attempt({ url, body, headers }: Outgoing): Promise<AttemptResult> {
    const start = performance.now();
    const elapsed = () => performance.now() - start;
    const to = new URL(url);
    try {
      const addresses = await this.#addressesOf(to);
      const request = { headers: allOf(headers, body), body };
      const deadline = start + 15_000;
      return resultOf(await this.#connections.post({ url: to, addresses }, request, deadline), elapsed());
    } catch (error) {
      const failed = { succeeded: false, httpStatus: undefined, retryAfterMs: undefined, excerpt: undefined };
      return { ...failed, error: reasonOf(error), ms: elapsed() };
    }
  }

  async #addressesOf(url: URL): Promise<readonly string[] | undefined> {
    const { networks, lookup, proxy } = this.options;
    if (proxy !== undefined) return undefined;
    const found = await resolveTarget(url, networks, lookup);
    if ("error" in found) throw new RequestFailed(found.error);
    return found.addresses;
  }
}

function allOf(headers: Outgoing["headers"], body: string) {
  return {
    Accept: "*/*",
    "User-Agent": "Plantstore-Webhooks/1.0",
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    ...headers,
  };
}

function resultOf(answer: ReceiverAnswer, ms: number): AttemptResult {
  const { status, excerpt } = answer;
  const answered = { httpStatus: status, ms, excerpt };
  const kind = Math.floor(status / 100);
  if (kind === 2) return { ...answered, succeeded: true, error: undefined, retryAfterMs: undefined };
  const error = kind === 3 ? "redirect" : status === 429 ? "too_many" : "http_status";
  return { ...answered, succeeded: false, error, retryAfterMs: retryAfterMs(answer.headers, Date.now()) };
}

const TLS_ERROR = /CERT|SSL|TLS|UNABLE_TO|SELF_SIGNED|HOSTNAME|EPROTO/i;

function reasonOf(error: unknown): DeliveryError {
  const cause = error instanceof RequestFailed ? error.cause : error;
  if (cause instanceof Error) {
    const { code = "", message } = cause as Error & { code?: string };
    if (TLS_ERROR.test(code) || TLS_ERROR.test(message)) return "tls";
  }
  return error instanceof RequestFailed ? error.reason : "connect";
}

/** A request in its final form, signed with every secret that is valid `at` that time. */
export function outgoing(
  { url, secrets }: { readonly url: string; readonly secrets: readonly OpenedSecret[] },
  event: { readonly id: string; readonly body: string; readonly at: number; readonly traceparent: string | undefined },
): Outgoing {
  const { id, body, at, traceparent } = event;
  const valid = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at);
  const keys = valid.map(({ secret }) => secret);
  const headers = signedHeaders(keys, { id, timestamp: Math.floor(at / 1000), body });
  return { url, body, headers: traceparent === undefined ? headers : { ...headers, traceparent } };
}
