import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { expectRefusal, RawClient } from "./support/raw-client.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { rawRequest } from "./support/raw-request.ts";

const OTHER = '{"id":6,"name":"Ficus"}';

const client = await RawClient.start();
afterEach(() => client.expectServing());
afterAll(() => client.service.stop());

async function everythingAnswered(bytes: Uint8Array): Promise<string> {
  const connection = await RawConnection.open(client.service.url);
  await connection.send(bytes);
  await connection.closed();
  return connection.unread;
}

describe("a method", () => {
  test.each(["PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "QUERY", "PURGE"])(
    "%s is not allowed on the collection: 405 with Allow",
    async (method) => {
      const answer = await client.create({ method });
      expectRefusal(answer, 40501);
      expect(answer.headers.get("allow")).toContain("POST");
      expect(answer.headers.get("allow")).toContain("OPTIONS");
    },
  );

  test.each(["FOO", "post", "get", "Post", "GETT", "X"])("%s is none: 501", async (method) => {
    expectRefusal(await client.create({ method, body: OTHER }), 50101);
    expectRefusal(await client.answer({ method, target: "/healthz" }), 50101);
    expectRefusal(await client.answer({ method, target: "/nothing" }), 40401);
    expectRefusal(await client.answer({ method, target: "/v2/plants" }), 40402);
    expect(await client.holds(6)).toBe(false);
  });

  test.each([
    ["GET", "/v1/plants/import", "POST, OPTIONS"],
    ["POST", "/v1/plants/export", "GET, HEAD, OPTIONS"],
    ["GET", "/v1/events/test", "POST, OPTIONS"],
  ])(
    "%s is not allowed on %s, though it is where an id stands in that place: 405 names %p",
    async (method, target, allow) => {
      const answer = await client.answer({ method, target });
      expectRefusal(answer, 40501);
      expect(answer.headers.get("allow")).toBe(allow);
    },
  );

  test.each([
    ["PUT", "/v1/plants", "GET, POST, HEAD, OPTIONS"],
    ["POST", "/v1/plants/5", "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"],
    ["PUT", "/v1/plants/remove", "POST, OPTIONS"],
    ["PUT", "/v1/events", "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/webhooks", "GET, POST, HEAD, OPTIONS"],
    ["PUT", "/healthz", "GET, HEAD, OPTIONS"],
  ])(
    "comes before the token: %s of %s is 405 without one, and names what is allowed",
    async (method, target, allowed) => {
      const answer = await client.answer({ method, target });
      expectRefusal(answer, 40501);
      expect(answer.headers.get("allow")).toBe(allowed);
    },
  );

  test("OPTIONS is answered 204 on every API address without a token, and 404 elsewhere", async () => {
    for (const target of [
      "/v1/plants",
      "/plants",
      "/v1/plants/5",
      "/v1/plants/import",
      "/plants/export",
      "/healthz",
      "/docs",
    ]) {
      const answer = await client.answer({ method: "OPTIONS", target });
      expect(answer).toMatchObject({ status: 204, body: "" });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-methods")).toBe(answer.headers.get("allow") ?? "none");
      expect(answer.headers.get("access-control-allow-headers")).toContain("Authorization");
    }
    expectRefusal(await client.answer({ method: "OPTIONS", target: "/nowhere" }), 40401);
  });

  test("OPTIONS lets a page of another origin send every header that the API reads", async () => {
    const answer = await client.answer({ method: "OPTIONS", target: "/v1/events" });
    const allowed = answer.headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
    for (const name of [
      "authorization",
      "content-type",
      "accept",
      "if-match",
      "if-none-match",
      "last-event-id",
      "traceparent",
    ])
      expect(allowed).toContain(name);
  });

  test("POST of a page of another origin may be read by it, and has nothing of that for any other caller", async () => {
    for (const target of ["/plants", "/v1/plants"]) {
      const answer = await client.create({ target });
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.headers.get("access-control-allow-origin")).toBeUndefined();
      const { headers } = await client.create({ target, headers: ["Origin: https://garden.example"] });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      for (const name of ["Idempotent-Replayed", "Request-Id"])
        expect(headers.get("access-control-expose-headers")).toContain(name);
    }
  });

  test("HEAD is answered as GET is, without its body", async () => {
    await client.create();
    for (const target of ["/healthz", "/v1/plants/5", "/v1/plants/404", "/v1/plants/05", "/nowhere", "/v9/plants"]) {
      const got = await client.answer({ method: "GET", target, headers: [client.authorization] });
      const head = rawRequest({ method: "HEAD", target, headers: [client.authorization, "Connection: close"] });
      const answer = await everythingAnswered(head);
      expect(answer).toStartWith(`HTTP/1.1 ${got.status} `);
      expect(answer).toEndWith("\r\n\r\n");
      expect(answer.split("\r\n\r\n")).toHaveLength(2);
      expect(answer.toLowerCase()).toContain("request-id: req_");
    }
  });
});
