import { eventually } from "./eventually.ts";

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

export interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

/** A test collector that accepts OTLP over HTTP in JSON on the loopback, and stores it. */
export class Collector {
  readonly spans: Span[] = [];
  readonly resources: (readonly Attribute[])[] = [];
  readonly requests: Request[] = [];
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      this.requests.push(request);
      const body = await request.json();
      for (const { resource, scopeSpans } of body.resourceSpans) {
        this.resources.push(resource.attributes);
        for (const { spans } of scopeSpans) this.spans.push(...spans);
      }
      return Response.json({});
    },
  });

  get url(): string {
    return this.#server.url.origin;
  }

  /** Waits until there is a span with each name. */
  async has(...names: readonly string[]): Promise<void> {
    await eventually(`spans arrive: ${names}`, async () =>
      names.every((name) => this.spans.some((span) => span.name === name)),
    );
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }
}

export function attributesOf(attributes: readonly Attribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}
