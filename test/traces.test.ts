import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "./support/eventually.ts";
import { startService, type TestService } from "./support/service.ts";

interface Span {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const SAMPLER = { none: "0", all: "1" };

const spans: Span[] = [];
const resources: (readonly Attribute[])[] = [];
const requests: { readonly path: string; readonly key: string | null }[] = [];

/** A collector that keeps what it gets. */
const collector = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    requests.push({ path: new URL(request.url).pathname, key: request.headers.get("x-key") });
    const body = await request.json();
    for (const { resource, scopeSpans } of body.resourceSpans) {
      resources.push(resource.attributes);
      for (const { spans: more } of scopeSpans) spans.push(...more);
    }
    return Response.json({});
  },
});

const settings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin,
  OTEL_EXPORTER_OTLP_HEADERS: "x-key=one%20key",
  OTEL_SERVICE_NAME: "greenhouse",
  OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=another",
  OTEL_TRACES_SAMPLER_ARG: SAMPLER.none,
};

let service: TestService;
let token: string;

beforeAll(async () => {
  service = await startService({ settings });
  token = await service.token();
});
afterAll(async () => {
  await service.stop();
  await collector.stop(true);
});

function create(body: string, headers: Record<string, string> = {}, at = service, as = token): Promise<Response> {
  return fetch(`${at.url}/v1/plants`, { method: "POST", headers: { Authorization: `Bearer ${as}`, ...headers }, body });
}

function attributesOf({ attributes }: Pick<Span, "attributes">): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}

test("a request that its caller samples is a span of the caller's trace, and no other is sent", async () => {
  await create('{"id":1,"name":"Fern"}');
  await create('{"id":2,"name":"Fern"}', { traceparent: `00-${TRACE}-${CALLER}-00` });
  const before = Date.now();
  const answer = await create('{"id":1,"name":"Ivy"}', { traceparent: `00-${TRACE}-${CALLER}-01` });
  await eventually("the span arrives", () => Promise.resolve(spans.length > 0));
  expect(spans).toHaveLength(1);
  const [span] = spans as [Span];
  expect(span).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, name: "POST create", kind: 2 });
  expect(attributesOf(span)).toEqual({
    "http.request.method": "POST",
    "http.response.status_code": 409,
    "url.path": "/v1/plants",
    "plantstore.request_id": answer.headers.get("Request-Id"),
    "plantstore.route": "create",
    "error.type": "40901",
  });
  const [start, end] = [Number(span.startTimeUnixNano) / 1e6, Number(span.endTimeUnixNano) / 1e6];
  expect(end).toBeGreaterThan(start);
  expect(Math.abs(start - before)).toBeLessThan(5000);
  expect(requests[0]).toEqual({ path: "/v1/traces", key: "one key" });
  expect(attributesOf({ attributes: resources[0] ?? [] })).toMatchObject({
    "service.name": "greenhouse",
    "deployment.environment.name": "test",
  });
});

test("a part of the requests without a trace is sampled, and a stop sends what waits", async () => {
  spans.length = 0;
  const own = await startService({ settings: { ...settings, OTEL_TRACES_SAMPLER_ARG: SAMPLER.all } });
  const secret = await own.token();
  await create('{"id":1,"name":"Fern"}', {}, own, secret);
  await fetch(`${own.url}/v1/plants/${secret}`, { headers: { Authorization: `Bearer ${secret}` } });
  await own.stop();
  const creates = spans.filter(({ name }) => name === "POST create");
  expect(creates).toHaveLength(1);
  expect(creates[0]?.parentSpanId).toBeFalsy();
  expect(JSON.stringify(spans)).not.toContain(secret.slice(6));
});

test("a collector that is away refuses no request, and lost spans are counted", async () => {
  const own = await startService({
    settings: { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", METRICS: "127.0.0.1:0" },
  });
  const secret = await own.token();
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
  for (let id = 0; id < 2600; id++) {
    expect((await create(`{"id":${id},"name":"Fern"}`, headers, own, secret)).status).toBe(200);
  }
  const [, url] = /"metrics":"([^"]+)"/.exec(own.output()) ?? [];
  await eventually("lost spans are counted", async () => {
    const text = await (await fetch(`${url}metrics`)).text();
    return Number(/^plantstore_spans_dropped_total (\d+)$/m.exec(text)?.[1]) > 0;
  });
  await own.stop();
}, 60_000);

test("a setting that cannot be used stops the start, and a header's value is not repeated", async () => {
  const wrong = { ...settings, OTEL_EXPORTER_OTLP_HEADERS: "asecretkey" };
  const start = startService({ settings: wrong });
  await expect(start).rejects.toThrow("OTEL_EXPORTER_OTLP_HEADERS must be NAME=VALUE");
  await start.catch((error) => expect(String(error)).not.toContain("asecretkey"));
});
