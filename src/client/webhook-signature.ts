import { type EventsAvailable, type PlantEvent, readWebhookEvent } from "./event.ts";
import { joined } from "./stream.ts";

/** A request to a webhook endpoint that is not from the service, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

export interface WebhookOptions {
  /** The greatest allowed difference between the request's time and now, in milliseconds; 300,000 by default. */
  readonly toleranceMs?: number;
  /** The present time in milliseconds since 1970; by default that of the clock. */
  readonly now?: number;
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const SECRET_PREFIX = "whsec_";
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Checks the signature of a webhook request (Standard Webhooks 1.0.0), and gives its event. `body` is the request's
 * body as it arrived: parsed and written again, its signature no longer fits. Throws a WebhookVerificationError.
 *
 * @example
 * ```ts
 * import { verifyWebhook } from "@plantstore/client";
 *
 * export async function receive(request: Request): Promise<Response> {
 *   const event = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET ?? "");
 *   if (event.type === "plant.created") console.log(event.plantId, "was added");
 *   return new Response(null, { status: 204 });
 * }
 * ```
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  secret: string | readonly string[],
  { toleranceMs = 300_000, now = Date.now() }: WebhookOptions = {},
): Promise<PlantEvent | EventsAvailable> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature").split(" ");
  if (!(Math.abs(now - Number(timestamp) * 1000) <= toleranceMs)) {
    throw new WebhookVerificationError(`The request's time is ${timestamp}, too far from now`);
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = joined([new TextEncoder().encode(`${id}.${timestamp}.`), bytes]);
  for (const each of typeof secret === "string" ? [secret] : secret) {
    if (await anyFits(signatures, signed, each)) return readWebhookEvent(UTF8.decode(bytes));
  }
  throw new WebhookVerificationError("No signature of the request fits the secret");
}

async function anyFits(signatures: readonly string[], signed: BufferSource, secret: string): Promise<boolean> {
  const bytes = fromBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (!bytes) throw new TypeError("The secret must be whsec_ and base64, as the service gave it");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  for (const signature of signatures) {
    const expected = signature.startsWith("v1,") ? fromBase64(signature.slice(3)) : undefined;
    if (expected && (await crypto.subtle.verify("HMAC", key, expected, signed))) return true;
  }
  return false;
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookVerificationError(`The request has no header ${name}`);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
