import { expect, test } from "bun:test";
import type { EventType, PlantEvent } from "#core/event.ts";
import { endedRequest } from "#test/support/ended-request.ts";
import { DeliveryTraces, type EventCause, EventCauses } from "./delivery-traces.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = { traceId: TRACE, spanId: "00f067aa0ba902b7", isSampled: true };
const NEVER = 0;
const NO_SPANS = undefined;

function cause(more: Partial<EventCause> = {}): EventCause {
  return { account: 1, type: "plant.created", plantId: 7n, updatedAt: undefined, trace: CALLER, ...more };
}

function event(type: EventType = "plant.created", updatedAt = 0): PlantEvent {
  const plant = { id: 7n, name: "Fern", tag: undefined, createdAt: 0, updatedAt };
  return { number: 1n, type, at: updatedAt, plant, previous: undefined };
}

test("where spans are made each attempt is a new one below the request's, and tells its receiver so", () => {
  const traces = new DeliveryTraces(NEVER);
  traces.remember([cause()]);
  const [first, second] = [traces.ofEvent(1, event()), traces.ofEvent(1, event())];
  expect(first.span).toMatchObject({ traceId: TRACE, parentSpanId: CALLER.spanId });
  expect(first.traceparent).toBe(`00-${TRACE}-${first.span?.spanId}-01`);
  expect(second.span?.spanId).not.toBe(first.span?.spanId ?? "");
});

test.each([
  ["where no spans are made", NO_SPANS, { ...CALLER, isSampled: true }, "01"],
  ["where its caller does not sample the request", NEVER, { ...CALLER, isSampled: false }, "00"],
])("%s the caller's position is passed on", (_where, ratio, trace, flags) => {
  const traces = new DeliveryTraces(ratio);
  traces.remember([cause({ trace })]);
  const passedOn = { traceparent: `00-${TRACE}-${CALLER.spanId}-${flags}`, span: undefined };
  expect(traces.ofEvent(1, event())).toEqual(passedOn);
});

test("changes of one plant are told apart, and no other account's event is in the trace", () => {
  const traces = new DeliveryTraces(NO_SPANS);
  const later = { ...CALLER, spanId: "1111111111111111" };
  traces.remember([
    cause({ type: "plant.changed", updatedAt: 10 }),
    cause({ type: "plant.changed", updatedAt: 11, trace: later }),
  ]);
  expect(traces.ofEvent(1, event("plant.changed", 10)).traceparent).toContain(CALLER.spanId);
  expect(traces.ofEvent(1, event("plant.changed", 11)).traceparent).toContain(later.spanId);
  for (const [account, other] of [
    [2, event("plant.changed", 10)],
    [1, event("plant.created")],
  ] as const) {
    expect(traces.ofEvent(account, other)).toEqual({ traceparent: undefined, span: undefined });
  }
});

test("an event whose cause is not known starts a trace of its own, as often as the ratio says", () => {
  const { traceparent, span } = new DeliveryTraces(1).ofEvent(1, event());
  expect(span?.parentSpanId).toBeUndefined();
  expect(traceparent).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
  expect(new DeliveryTraces(NEVER).ofUnknown().span).toBeUndefined();
});

test("only the newest causes are remembered", () => {
  const traces = new DeliveryTraces(NO_SPANS);
  traces.remember([cause()]);
  traces.remember(Array.from({ length: 10_000 }, (_, id) => cause({ plantId: BigInt(id + 100) })));
  expect(traces.ofEvent(1, event()).traceparent).toBeUndefined();
});

const REQUEST = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", isSampled: false };
const SPAN = { ...REQUEST, spanId: "1111111111111111", isSampled: true, batches: [] };

function causesOf(account: number): EventCauses {
  const causes = new EventCauses();
  causes.accounts.add(account);
  return causes;
}

test("a create, a change and a removal with a trace are noted with the event that they cause", () => {
  const causes = causesOf(1);
  causes.requestEnded(endedRequest({ trace: REQUEST }));
  const other = { outcome: undefined, created: 0, trace: REQUEST, plantId: 7n } as const;
  causes.requestEnded(endedRequest({ ...other, route: "change", plantUpdatedAt: 1234 }));
  causes.requestEnded(endedRequest({ ...other, route: "remove", span: SPAN }));
  expect(causes.drain()).toEqual([
    { account: 1, type: "plant.created", plantId: 9007199254740993n, updatedAt: undefined, trace: REQUEST },
    { account: 1, type: "plant.changed", plantId: 7n, updatedAt: 1234, trace: REQUEST },
    {
      account: 1,
      type: "plant.removed",
      plantId: 7n,
      updatedAt: undefined,
      trace: { traceId: SPAN.traceId, spanId: SPAN.spanId, isSampled: true },
    },
  ]);
  expect(causes.drain()).toEqual([]);
});

test.each([
  ["without a trace", {}],
  ["of an account without an endpoint", { trace: REQUEST, account: 2 }],
  ["that was repeated", { trace: REQUEST, outcome: "unchanged" }],
  ["that was refused", { trace: REQUEST, outcome: undefined, route: "change", errorNumber: 40401 }],
  ["that only reads", { trace: REQUEST, outcome: undefined, route: "read" }],
] as const)("a request %s is not", (_which, more) => {
  const causes = causesOf(1);
  causes.requestEnded(endedRequest(more));
  expect(causes.drain()).toEqual([]);
});

test("they do not pile up while nobody takes them", () => {
  const causes = causesOf(1);
  for (let id = 0n; id < 10_000n; id++) causes.requestEnded(endedRequest({ trace: REQUEST, plantId: id }));
  expect(causes.drain().length).toBe(4096);
});
