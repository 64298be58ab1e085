import { Webhook } from "standardwebhooks";
import type { Certificate } from "./certificates.ts";

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** A webhook endpoint on the loopback, which stores what it receives and gives prepared answers. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  status = 204;
  headers: Record<string, string> = {};
  /** Called for each request that has arrived. */
  beforeAnswer: () => Promise<void> | void = () => undefined;
  readonly #isSecure: boolean;
  readonly #server: Bun.Server<undefined>;

  /** With a certificate, for 127.0.0.1, it accepts requests over TLS. */
  constructor(certificate?: Certificate) {
    this.#isSecure = certificate !== undefined;
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      ...(certificate ? { tls: certificate } : {}),
      fetch: async (request) => {
        const headers = Object.fromEntries(request.headers);
        this.received.push({ id: headers["webhook-id"] ?? "", body: await request.text(), headers });
        await this.beforeAnswer();
        return new Response(this.status === 204 ? null : "an answer", { status: this.status, headers: this.headers });
      },
    });
  }

  get url(): string {
    return `${this.#isSecure ? "https" : "http"}://127.0.0.1:${this.#server.port}/hook`;
  }

  /** The ids of the plants in the received events, one for each event. */
  get plants(): string[] {
    return [...new Map(this.received.map(({ id, body }) => [id, JSON.parse(body).data.plant_id])).values()];
  }

  /** Throws for a request that the Standard Webhooks library refuses. */
  verify(secret: string): void {
    for (const { body, headers } of this.received) new Webhook(secret).verify(body, headers);
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }
}
