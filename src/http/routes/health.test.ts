import { expect, test } from "bun:test";
import { openApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";

test("health is told to anybody, and readiness ends with the database or when the service is told to stop", async () => {
  const own = await openApp();
  expect(await (await own.send("/healthz")).json()).toEqual({ status: "ok" });
  expect(await (await own.send("/readyz")).json()).toEqual({ status: "ready" });
  own.service.draining = true;
  await expectRefused(await own.send("/readyz"), 50301);
  expect((await own.send("/healthz")).status).toBe(200);
  own.service.draining = false;
  await own.close();
  const closed = await own.send("/readyz");
  expect(closed.headers.get("Retry-After")).toBe("1");
  await expectRefused(closed, 50301);
});
