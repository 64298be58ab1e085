import { expect, test } from "bun:test";
import { Hono } from "hono";
import { Failure } from "#core/failure.ts";
import { allowOnly } from "./allow-only.ts";
import type { Env } from "./env.ts";

function routes(methods: readonly string[]): Hono<Env> {
  const app = new Hono<Env>();
  app.get("/plants", (c) => c.text("found"));
  allowOnly(app, "/plants", methods);
  app.onError((error, c) => {
    const failure = error instanceof Failure ? error : undefined;
    return c.text(error.message, 405, failure?.detail.headers);
  });
  return app;
}

test.each([
  [["GET", "POST"], "GET, POST, HEAD, OPTIONS"],
  [["POST"], "POST, OPTIONS"],
])("OPTIONS names the methods %p, and lets a page of any origin send them", async (methods, allow) => {
  const answer = await routes(methods).request("/plants", { method: "OPTIONS" });
  expect(answer.status).toBe(204);
  expect(answer.headers.get("allow")).toBe(allow);
  expect(answer.headers.get("access-control-allow-methods")).toBe(allow);
  expect(answer.headers.get("access-control-allow-headers")).toContain("Authorization");
});

test("a method that the address has not is refused with those that it has", async () => {
  const answer = await routes(["GET"]).request("/plants", { method: "DELETE" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  expect(await answer.text()).toContain("DELETE");
});

test("a method that the address has is left to its handler", async () => {
  expect(await (await routes(["GET"]).request("/plants")).text()).toBe("found");
  expect((await routes(["GET"]).request("/plants", { method: "HEAD" })).status).toBe(200);
});
