import { expect, test } from "bun:test";
import { endedRequest } from "#test/support/ended-request.ts";
import { EventCauses } from "./event-causes.ts";

const CALLER = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", isSampled: false };
const SPAN = { ...CALLER, spanId: "1111111111111111", isSampled: true, batches: [] };

function causesOf(account: number): EventCauses {
  const causes = new EventCauses();
  causes.accounts = new Set([account]);
  return causes;
}

test("a create, a change and a removal with a trace are noted with the event that they cause", () => {
  const causes = causesOf(1);
  causes.requestEnded(endedRequest({ trace: CALLER }));
  const other = { outcome: undefined, created: 0, trace: CALLER, plantId: 7n } as const;
  causes.requestEnded(endedRequest({ ...other, route: "change", plantUpdatedAt: 1234 }));
  causes.requestEnded(endedRequest({ ...other, route: "remove", span: SPAN }));
  expect(causes.take()).toEqual([
    { account: 1, type: "plant.created", plantId: 9007199254740993n, updatedAt: undefined, trace: CALLER },
    { account: 1, type: "plant.changed", plantId: 7n, updatedAt: 1234, trace: CALLER },
    {
      account: 1,
      type: "plant.removed",
      plantId: 7n,
      updatedAt: undefined,
      trace: { traceId: SPAN.traceId, spanId: SPAN.spanId, isSampled: true },
    },
  ]);
  expect(causes.take()).toEqual([]);
});

test.each([
  ["without a trace", {}],
  ["of an account without an endpoint", { trace: CALLER, account: 2 }],
  ["that was repeated", { trace: CALLER, outcome: "unchanged" }],
  ["that was refused", { trace: CALLER, outcome: undefined, route: "change", errorNumber: 40401 }],
  ["that only reads", { trace: CALLER, outcome: undefined, route: "read" }],
] as const)("a request %s is not", (_which, more) => {
  const causes = causesOf(1);
  causes.requestEnded(endedRequest(more));
  expect(causes.take()).toEqual([]);
});

test("they do not pile up while nobody takes them", () => {
  const causes = causesOf(1);
  for (let id = 0n; id < 10_000n; id++) causes.requestEnded(endedRequest({ trace: CALLER, plantId: id }));
  expect(causes.take().length).toBe(4096);
});
