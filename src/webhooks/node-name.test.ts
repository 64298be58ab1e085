import { expect, test } from "bun:test";
import { hostname } from "node:os";
import { endedProcess } from "#test/support/ended-process.ts";
import { hasEnded, nodeName } from "./node-name.ts";

test("a node on this machine has ended when its process has; of one elsewhere that is not known", async () => {
  const ended = await endedProcess();
  expect(hasEnded(`${hostname()}/${ended}/x`)).toBe(true);
  expect(hasEnded(nodeName("x"))).toBe(false);
  expect(hasEnded(`${hostname()}/1/x`)).toBe(false);
  expect(hasEnded(`another machine/${ended}/x`)).toBe(false);
});
