import { hkdfSync } from "node:crypto";
import type { StreamedEvent } from "#client/event.ts";
import { isLoopbackName } from "#contract/loopback-name.ts";
import { signedHeaders, WEBHOOK_SECRET_BYTES, webhookSecret } from "#contract/webhook-signature.ts";
import { UsageError } from "./report.ts";

/** Sends events to a receiver on this machine in the way the service sends webhooks. */
export class Forwarder {
  /** Derived from the token, so that it is the same at every start. */
  readonly secret: string;
  readonly #url: string | undefined;

  constructor(token: string, url: string | undefined) {
    if (url !== undefined && !isOnThisMachine(url)) {
      throw new UsageError(`--forward-to must be an address on this machine, as in http://127.0.0.1:4000/hooks`);
    }
    this.secret = webhookSecret(
      new Uint8Array(hkdfSync("sha256", token, "", "plantstore listen", WEBHOOK_SECRET_BYTES)),
    );
    this.#url = url;
  }

  get forwards(): boolean {
    return this.#url !== undefined;
  }

  async forward({ id, json }: StreamedEvent): Promise<{ readonly status: number | string; readonly ms: number }> {
    const start = performance.now();
    const headers = signedHeaders([this.secret], { id, timestamp: Math.floor(Date.now() / 1000), body: json });
    const status = await this.#post(json, headers);
    return { status, ms: Math.round(performance.now() - start) };
  }

  async #post(body: string, headers: Record<string, string>): Promise<number | string> {
    try {
      const response = await fetch(this.#url ?? "", {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json", "User-Agent": "Plantstore-Webhooks/1.0", ...headers },
        redirect: "manual",
        // Otherwise `fetch` would send the event to the proxy that HTTP_PROXY names, which is another machine.
        proxy: false,
        signal: AbortSignal.timeout(15_000),
      });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      return error instanceof Error && error.name === "TimeoutError" ? "timeout" : "no answer";
    }
  }
}

function isOnThisMachine(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {};
  return (protocol === "http:" || protocol === "https:") && isLoopbackName(hostname ?? "");
}
