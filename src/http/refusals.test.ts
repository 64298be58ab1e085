import { expect, test } from "bun:test";
import { methodNotAllowed } from "./refusals.ts";

test("a method that is not allowed is told of those that are", () => {
  const { message, detail } = methodNotAllowed("DELETE", ["GET", "HEAD", "OPTIONS"]);
  expect(message).toBe("DELETE is not allowed here; GET, HEAD, OPTIONS are");
  expect(detail.headers).toEqual({ Allow: "GET, HEAD, OPTIONS" });
  expect(methodNotAllowed("GET", ["POST"]).message).toBe("GET is not allowed here; POST is");
});
