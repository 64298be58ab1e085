import { describe, expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { contextOfRequest, contextWith } from "#test/support/request-context.ts";
import type { ServedRequest } from "./request-context.ts";

describe("the context of a request", () => {
  test("has an address also where HTTP/1.0 sends no Host", () => {
    const arrived = new Proxy(new Request("http://localhost/"), {
      get: (request, name) => (name === "url" ? "/v1/plants?x=1" : Reflect.get(request, name, request)),
    });
    const context = contextOfRequest(arrived, {});
    expect([context.path, context.query]).toEqual(["/v1/plants", "x=1"]);
  });

  test("has ended once it has a status, and knows how long it took", () => {
    const context = contextWith({});
    expect(context.hasEnded).toBe(false);
    context.end(201);
    expect([context.hasEnded, context.status]).toEqual([true, 201]);
    expect(context.durationMs).toBe(context.endedAt - context.startedAt);
  });

  test("tells of a refusal its number and its message, and of a fault nothing of its text", () => {
    const context = contextWith({});
    expect([context.errorNumber, context.message]).toEqual([undefined, undefined]);
    context.error = new Failure("id-taken", "There is another plant 7");
    expect([context.errorNumber, context.message]).toEqual([40901, "There is another plant 7"]);
    context.error = new Error("password of the database: hunter2");
    expect([context.errorNumber, context.message]).toEqual([50001, "The service failed"]);
  });

  test("samples a request once, however often its span is asked for", () => {
    let asked = 0;
    const span = { traceId: "0".repeat(31).concat("1"), spanId: "0".repeat(15).concat("1") };
    const sampler = () => {
      asked++;
      return span as NonNullable<ServedRequest["span"]>;
    };
    const context = contextWith({ observation: { sampler } });
    expect([context.span, context.span]).toEqual([span, span] as NonNullable<ServedRequest["span"]>[]);
    expect(asked).toBe(1);
    expect(contextWith({ observation: {} }).span).toBeUndefined();
  });

  test("knows the announced size of the body, if one was announced", () => {
    expect(contextWith({}, { "Content-Length": "12" }).bytesIn).toBe(12);
    expect(contextWith({}).bytesIn).toBeUndefined();
  });
});

test("10,000 requests have 10,000 ids, short and without a character that needs quoting", () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => contextWith({}).id));
  expect(ids.size).toBe(10_000);
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{18}$/);
});
