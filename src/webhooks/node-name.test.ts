import { expect, test } from "bun:test";
import { hostname } from "node:os";
import { hasEnded, nodeName } from "./node-name.ts";

test("a node on this machine has ended when its process has; of one elsewhere that is not known", async () => {
  const child = Bun.spawn(["true"]);
  await child.exited;
  expect(hasEnded(`${hostname()}/${child.pid}/x`)).toBe(true);
  expect(hasEnded(nodeName("x"))).toBe(false);
  expect(hasEnded(`${hostname()}/1/x`)).toBe(false);
  expect(hasEnded(`another machine/${child.pid}/x`)).toBe(false);
});
