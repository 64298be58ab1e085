import { expect, test } from "bun:test";
import { draining, malformedHost, methodNotAllowed, methodUnknown } from "./refusals.ts";

test("a method that is not allowed is told of those that are", () => {
  const { message, detail } = methodNotAllowed("DELETE", ["GET", "HEAD", "OPTIONS"]);
  expect(message).toBe("DELETE is not allowed here; GET, HEAD, OPTIONS are");
  expect(detail.headers).toEqual({ Allow: "GET, HEAD, OPTIONS" });
  expect(methodNotAllowed("GET", ["POST"]).message).toBe("GET is not allowed here; POST is");
});

test("a connection whose request makes no sense, or that comes too late, is closed", () => {
  for (const refusal of [malformedHost(), methodUnknown(), draining()])
    expect(refusal.detail.headers?.Connection).toBe("close");
  expect(draining()).toMatchObject({ code: "unavailable", detail: { headers: { "Retry-After": "1" } } });
});
