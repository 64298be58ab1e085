import { createHmac } from "node:crypto";

/** Signing follows Standard Webhooks 1.0.0 (https://www.standardwebhooks.com). */
const SECRET_PREFIX = "whsec_";
export const WEBHOOK_SECRET_BYTES = 32;

/** The secret made of these bytes, which must be random, or derived from random ones. */
export function webhookSecret(bytes: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(bytes).toString("base64");
}

/** The first and last characters, as in `whsec_4fQa…x81Z`: enough to recognise it, useless for guessing it. */
export function webhookSecretHint(secret: string): string {
  return `${secret.slice(0, SECRET_PREFIX.length + 4)}…${secret.slice(-4)}`;
}

export interface Signed {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a request, with a signature by each of the secrets. */
export function signedHeaders(secrets: readonly string[], { id, timestamp, body }: Signed): Record<string, string> {
  const text = `${id}.${timestamp}.${body}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => `v1,${signature(secret, text)}`).join(" "),
  };
}

function signature(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(text).digest("base64");
}
