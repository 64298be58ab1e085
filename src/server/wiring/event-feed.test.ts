import { afterAll, expect, test } from "bun:test";
import { NO_OBSERVER } from "#core/observer.ts";
import { openTestRecords } from "#test/support/test-records.ts";
import { readSettings } from "../settings.ts";
import { openEventFeed } from "./event-feed.ts";

const opened = await openTestRecords("sqlite");
afterAll(() => opened.end());

test("a node has at most 1,000 streams, 8 for each account, and has room again when one ends", () => {
  const streams = openEventFeed(readSettings({}), opened.storage, NO_OBSERVER).service?.streams;
  if (!streams) throw new Error("The feed is turned on");
  const ends = Array.from({ length: 1000 }, (_, at) => streams.acquire(Math.max(0, at - 7)));
  expect(streams.total).toBe(1000);
  expect(() => streams.acquire(5000)).toThrow(expect.objectContaining({ code: "unavailable" }));
  expect(() => streams.acquire(0)).toThrow(expect.objectContaining({ code: "rate-limited" }));
  ends[0]?.();
  streams.acquire(5000)();
  expect(streams.total).toBe(999);
});
