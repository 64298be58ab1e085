import { beforeEach, expect, test } from "bun:test";
import type { LogEntry } from "#storage/webhook-progress.ts";
import { afterSuccess, type HealthState } from "./endpoint-health.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";
import { UnsavedProgress } from "./unsaved-progress.ts";

const HEALTHY = afterSuccess();
const DISABLED: HealthState = { status: "disabled", reason: "gone", failingSince: 5, failures: 20 };
const ENDPOINT: HeldEndpoint = {
  ...HEALTHY,
  id: "we_1",
  account: 7,
  url: "https://shop.example/",
  types: undefined,
  delivery: "each",
  version: "1.0.0",
  position: 10n,
  revision: 3,
  secrets: [],
};
const ENTRY: LogEntry = {
  sequence: 1,
  event: "evt_1",
  type: "plant.created",
  attempt: 1,
  status: "succeeded",
  httpStatus: 200,
  error: undefined,
  ms: 1,
  at: 0,
  nextAt: undefined,
  excerpt: undefined,
  span: undefined,
};

let unsaved: UnsavedProgress;
beforeEach(() => {
  unsaved = new UnsavedProgress(10n);
});

const take = (position = 10n, health: HealthState = HEALTHY) => unsaved.take(ENDPOINT, health, position);

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
  unsaved.addAttempt(ENTRY);
  unsaved.setRetry(waiting);
  unsaved.setRetry({ ...waiting, attempts: 2 });
  unsaved.moveReplay(replay);
  unsaved.moveReplay({ ...replay, position: 5n });
  expect(take()).toMatchObject({
    log: [ENTRY],
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
  unsaved.addAttempt(ENTRY);
  take();
  unsaved.takeAgain();
  expect(take()).toMatchObject({ position: 10n, log: [] });
});

test("the account is told once that its endpoint was disabled", () => {
  unsaved.addAttempt(ENTRY);
  expect(take(10n, DISABLED)?.disabled).toEqual({ account: 7, url: "https://shop.example/" });
  unsaved.takeAgain();
  expect(take(10n, DISABLED)?.disabled).toBeUndefined();
});

test("the position moves before the first attempt too, and the progress holds nothing else of the endpoint", () => {
  const progress = unsaved.take(ENDPOINT, ENDPOINT, 20n);
  expect(progress?.position).toBe(20n);
  expect(JSON.stringify(Object.keys(progress ?? {}))).not.toMatch(/secrets|url/);
});
