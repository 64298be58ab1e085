import { afterAll, describe, expect, test } from "bun:test";
import { attributesOf, Collector, type Span } from "./support/collector.ts";
import { eventually } from "./support/eventually.ts";
import { startService } from "./support/service.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const SAMPLER = { none: "0", all: "1" };

const collector = new Collector();
const { spans } = collector;

const settings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/v1/traces`,
  OTEL_EXPORTER_OTLP_HEADERS: "x-key=one%20key",
  OTEL_SERVICE_NAME: "greenhouse",
  OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=another",
  OTEL_TRACES_SAMPLER_ARG: SAMPLER.none,
};

const service = await startService({ settings });
const token = await service.token();
afterAll(async () => {
  await service.stop();
  await collector.stop();
});

const create = (body: string, headers: Record<string, string> = {}, at = service, as = token) =>
  at.send("POST", "/v1/plants", { as, headers, body });

function named(name: string): Span {
  const found = spans.filter((span) => span.name === name);
  expect(found).toHaveLength(1);
  return found[0] as Span;
}

test("a request that its caller samples is a span of the caller's trace, and no other is sent", async () => {
  await create('{"id":1,"name":"Fern"}');
  await create('{"id":2,"name":"Fern"}', { traceparent: `00-${TRACE}-${CALLER}-00` });
  const before = Date.now();
  const answer = await create('{"id":1,"name":"Ivy"}', { traceparent: `00-${TRACE}-${CALLER}-01` });
  await eventually("the spans arrive", () => spans.length > 1);
  const [span, batch] = [named("POST create"), named("commit batch")];
  expect(spans).toHaveLength(2);
  expect(span).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, name: "POST create", kind: 2 });
  expect(attributesOf(span.attributes)).toEqual({
    "http.request.method": "POST",
    "http.response.status_code": 409,
    "url.path": "/v1/plants",
    "plantstore.request_id": answer.headers.get("Request-Id"),
    "plantstore.route": "create",
    "error.type": "40901",
  });
  expect(batch.links).toMatchObject([{ traceId: TRACE, spanId: span.spanId }]);
  expect(span.links).toMatchObject([{ traceId: batch.traceId, spanId: batch.spanId }]);
  expect(attributesOf(batch.attributes)).toMatchObject({ "db.operation.batch.size": 1 });
  const [start, end] = [Number(span.startTimeUnixNano) / 1e6, Number(span.endTimeUnixNano) / 1e6];
  expect(end).toBeGreaterThan(start);
  expect(Math.abs(start - before)).toBeLessThan(60_000);
  const [sent] = collector.requests;
  expect([sent?.url, sent?.headers.get("x-key")]).toEqual([`${collector.url}/v1/traces`, "one key"]);
  expect(attributesOf(collector.resources[0])).toMatchObject({
    "service.name": "greenhouse",
    "deployment.environment.name": "test",
  });
});

test("a request without a trace is sampled, none that its caller does not sample, and a stop sends what waits", async () => {
  spans.length = 0;
  const own = await startService({ settings: { ...settings, OTEL_TRACES_SAMPLER_ARG: SAMPLER.all } });
  const secret = await own.token();
  await create('{"id":1,"name":"Fern"}', {}, own, secret);
  await create('{"id":2,"name":"Fern"}', { traceparent: `00-${TRACE}-${CALLER}-00` }, own, secret);
  await own.send("GET", `/v1/plants/${secret}`, { as: secret });
  await own.stop();
  const creates = spans.filter(({ name }) => name === "POST create");
  expect(creates).toHaveLength(1);
  expect(creates[0]?.parentSpanId).toBeFalsy();
  expect(JSON.stringify(spans)).not.toContain(secret.slice(6));
});

describe("with a webhook endpoint", () => {
  const receiver = new WebhookReceiver();
  afterAll(() => receiver.stop());

  async function started(more: Record<string, string>) {
    spans.length = receiver.received.length = 0;
    receiver.status = 204;
    const own = await startService({ settings: { WEBHOOK_NETWORKS: "127.0.0.0/8", ...more } });
    const secret = await own.token({ scopes: ["plants:read", "plants:write", "webhooks:manage"] });
    const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      own.send(method, `/v1${path}`, { as: secret, headers, body });
    const endpoint = await (await call("POST", "/webhooks", { url: receiver.url })).json();
    // What has failed may come again before the last event comes.
    const delivered = (events: number) => eventually("all is delivered", () => receiver.plants.length >= events);
    return { own, call, endpoint, delivered };
  }

  test("each attempt to deliver is a span below that of the request that caused it, and says so to the receiver", async () => {
    const { own, call, endpoint, delivered } = await started(settings);
    const sampled = { traceparent: `00-${TRACE}-${CALLER}-01` };
    receiver.status = 500;
    await call("POST", "/plants", '{"id":1,"name":"Fern"}', sampled);
    await delivered(1);
    receiver.status = 204;
    await call("PATCH", "/plants/1", '{"name":"Ivy"}', sampled);
    await call("DELETE", "/plants/1", undefined, sampled);
    await call("POST", "/plants", '{"id":2,"name":"Fern"}', { traceparent: `00-${TRACE}-${CALLER}-00` });
    await call("POST", "/plants", '{"id":3,"name":"Fern"}');
    await delivered(5);
    // An attempt that a stop cuts off is made again at the next start, and has no span.
    const attempted = () => spans.filter(({ name }) => name === "POST webhook");
    const requests = () => new Set(attempted().map(({ parentSpanId }) => parentSpanId));
    await eventually("an attempt about each change of the first plant has ended", () => requests().size === 3);
    await own.stop();
    const attempts = new Map(attempted().map((span) => [span.spanId, span]));
    const told = receiver.received.map(({ id, body, headers }) => {
      const [, traceId, spanId = "", flags] = headers.traceparent?.split("-") ?? [];
      return { id, type: JSON.parse(body).type, plant: JSON.parse(body).data.plant_id, traceId, spanId, flags };
    });
    for (const [type, route] of [
      ["plant.created", "POST create"],
      ["plant.changed", "PATCH change"],
      ["plant.removed", "DELETE remove"],
    ] as const) {
      const delivery = told.find((each) => each.type === type && each.plant === "1");
      const span = attempts.get(delivery?.spanId ?? "");
      expect(span).toMatchObject({ traceId: TRACE, parentSpanId: named(route).spanId, kind: 3 });
      const hasFailed = type === "plant.created";
      expect(span?.status?.code === 2).toBe(hasFailed);
      expect(attributesOf(span?.attributes)).toEqual({
        "http.request.method": "POST",
        "http.response.status_code": hasFailed ? 500 : 204,
        ...(hasFailed ? { "error.type": "http_status" } : {}),
        "plantstore.webhook": endpoint.id,
        "plantstore.event": delivery?.id,
        "plantstore.attempt": 1,
      });
    }
    expect(told.find(({ plant }) => plant === "2")).toMatchObject({ traceId: TRACE, spanId: CALLER, flags: "00" });
    expect(told.find(({ plant }) => plant === "3")?.traceId).toBeUndefined();
  });

  test("without a collector the caller's position is passed on to the receiver, and to that of a test", async () => {
    const { own, call, endpoint, delivered } = await started({});
    const traceparent = `00-${TRACE}-${CALLER}-01`;
    await call("POST", "/plants", '{"id":1,"name":"Fern"}', { traceparent });
    await delivered(1);
    await call("POST", `/webhooks/${endpoint.id}/test`, "{}", { traceparent });
    await delivered(2);
    expect(receiver.received.map(({ headers }) => headers.traceparent)).toEqual([traceparent, traceparent]);
    await own.stop();
    expect(spans).toEqual([]);
  });
});

test("the transactions of an import are linked with its span", async () => {
  spans.length = 0;
  const body = Array.from({ length: 600 }, (_, id) => `{"id":${id + 1000},"name":"Fern"}`).join("\n");
  const headers = { "Content-Type": "application/x-ndjson", traceparent: `00-${TRACE}-${CALLER}-01` };
  expect((await create(body, headers)).status).toBe(200);
  await eventually("the spans arrive", () => spans.some(({ name }) => name === "POST bulk"));
  const batches = spans.filter(({ name }) => name === "commit batch");
  expect(batches.length).toBeGreaterThan(1);
  expect(named("POST bulk").links?.map(({ spanId }) => spanId)).toEqual(batches.map(({ spanId }) => spanId));
});

test("a collector that is away refuses no request, and lost spans are counted", async () => {
  const own = await startService({
    settings: { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", METRICS: "127.0.0.1:0" },
  });
  const secret = await own.token();
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
  let id = 0;
  await eventually("lost spans are counted", async () => {
    const creating = Array.from({ length: 200 }, () => create(`{"id":${++id},"name":"Fern"}`, headers, own, secret));
    for (const { status } of await Promise.all(creating)) expect(status).toBe(200);
    return Number(/^plantstore_spans_dropped_total (\d+)$/m.exec(await own.metrics())?.[1]) > 0;
  });
  await own.stop();
});
