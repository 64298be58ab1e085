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

function causesOf(account: number): EventCauses {
  const causes = new EventCauses();
  causes.accounts.add(account);
  return causes;
}

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
