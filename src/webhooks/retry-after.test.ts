import { expect, test } from "bun:test";
import { hostname } from "node:os";
import { hasEnded, nodeName } from "./node-name.ts";
import { retryAfterMs } from "./retry-after.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");

test.each([
  ["120", 120_000],
  [" 0 ", 0],
  ["999999999", 999_999_999_000],
  ["Tue, 10 Mar 2026 12:01:00 GMT", 60_000],
  ["Tue, 10 Mar 2026 11:00:00 GMT", 0],
])("a receiver that sends Retry-After: %s is left alone for %p ms", (value, ms) => {
  expect(retryAfterMs(value, NOW)).toBe(ms);
});

test.each([null, "", "soon", "-1", "1.5", "1e3", "9999999999", "2026-03-10T12:01:00Z", "GMT", "xGMT"])(
  "Retry-After: %p says nothing",
  (value) => {
    expect(retryAfterMs(value, NOW)).toBeUndefined();
  },
);

test("a node on this machine has ended when its process has; of one elsewhere that is not known", async () => {
  const child = Bun.spawn(["true"]);
  await child.exited;
  expect(hasEnded(`${hostname()}/${child.pid}/x`)).toBe(true);
  expect(hasEnded(nodeName("x"))).toBe(false);
  expect(hasEnded(`${hostname()}/1/x`)).toBe(false);
  expect(hasEnded(`another machine/${child.pid}/x`)).toBe(false);
});
