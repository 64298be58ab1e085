import { beforeEach, expect, test } from "bun:test";
import type { EndpointHealth } from "#storage/webhook-progress.ts";
import { heldEndpoint } from "#test/support/delivery-world.ts";
import { HEALTHY } from "./endpoint-health.ts";
import { UnsavedProgress } from "./unsaved-progress.ts";

const DISABLED: EndpointHealth = { ...HEALTHY, status: "disabled", reason: "gone", failingSince: 5, failures: 20 };
const ENDPOINT = heldEndpoint({ account: 7, position: 10n, revision: 3 });
const ATTEMPT = {
  sequence: 1,
  event: "evt_1",
  type: "plant.created",
  attempt: 1,
  isRetry: false,
  at: 0,
  nextAt: undefined,
  span: undefined,
};
const RESULT = {
  succeeded: true,
  httpStatus: 200,
  error: undefined,
  ms: 1,
  retryAfterMs: undefined,
  excerpt: undefined,
};

let unsaved: UnsavedProgress;
beforeEach(() => {
  unsaved = new UnsavedProgress(10n);
});

const take = (position = 10n, health: EndpointHealth = HEALTHY) => unsaved.take(ENDPOINT, health, position);

test("where nothing has happened there is nothing to write", () => {
  expect(take()).toBeUndefined();
});

test("a position that moved is written once", () => {
  expect(take(11n)).toMatchObject({ endpoint: "we_1", revision: 3, position: 11n, log: [], retries: [], over: [] });
  expect(take(11n)).toBeUndefined();
});

test("each attempt, retry and replay is handed over once, in its last state", () => {
  const waiting = { number: 4n, attempts: 1, nextAt: 100 };
  const replay = { id: "wrp_1", position: 1n, until: 9n, types: undefined };
  unsaved.addAttempt(ATTEMPT, RESULT);
  unsaved.setRetry(waiting);
  unsaved.setRetry({ ...waiting, attempts: 2 });
  unsaved.moveReplay(replay);
  unsaved.moveReplay({ ...replay, position: 5n });
  expect(take()).toMatchObject({
    log: [{ ...ATTEMPT, status: "succeeded", httpStatus: 200 }],
    retries: [{ number: 4n, attempts: 2 }],
    replays: [{ id: "wrp_1", position: 5n }],
  });
  expect(take()).toBeUndefined();
});

test("a retry that is over is no longer written as waiting", () => {
  unsaved.setRetry({ number: 4n, attempts: 1, nextAt: 100 });
  unsaved.endRetry(4n);
  expect(take()).toMatchObject({ retries: [], over: [4n] });
});

test("a state that was not written is handed over again, without the attempts that were", () => {
  unsaved.addAttempt(ATTEMPT, RESULT);
  take();
  unsaved.takeAgain();
  expect(take()).toMatchObject({ position: 10n, log: [] });
});

test("the account is told once that its endpoint was disabled", () => {
  unsaved.addAttempt(ATTEMPT, RESULT);
  expect(take(10n, DISABLED)?.disabled).toEqual({ account: 7, url: ENDPOINT.url });
  unsaved.takeAgain();
  expect(take(10n, DISABLED)?.disabled).toBeUndefined();
});

test("the position moves before the first attempt too, and the progress holds nothing else of the endpoint", () => {
  const progress = unsaved.take(ENDPOINT, ENDPOINT, 20n);
  expect(progress?.position).toBe(20n);
  expect(JSON.stringify(Object.keys(progress ?? {}))).not.toMatch(/secrets|url/);
});

test("an event that is asked for again while the end of its retry is not written yet waits once more", () => {
  unsaved.endRetry(9n);
  unsaved.setRetry({ number: 9n, attempts: 0, nextAt: 5 });
  expect(take()).toMatchObject({ retries: [{ number: 9n, attempts: 0, nextAt: 5 }], over: [] });
});
