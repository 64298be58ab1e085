import { afterAll, afterEach, expect, test } from "bun:test";
import { eventually } from "./support/eventually.ts";
import { expectRefusal, RawClient } from "./support/raw-client.ts";
import type { RawRequest } from "./support/raw-request.ts";

/** More than the first test sends. */
const REQUESTS_A_SECOND = 10;

const client = await RawClient.start({ RATE_LIMIT: String(REQUESTS_A_SECOND) });
afterEach(() => client.expectServing());
afterAll(() => client.service.stop());
const reading = `Authorization: Bearer ${await client.service.token({ scopes: ["plants:read"] })}`;

const MALFORMED = "{";
const TOO_LONG = "Content-Length: 2000000";

test("a request with every fault is refused for the first in the contract's order, then for the next", async () => {
  const { authorization } = client;
  expect((await client.create({ body: '{"id":1,"name":"taken"}' })).status).toBe(200);
  const steps: [number, RawRequest][] = [
    [40401, { target: "/nowhere", method: "PUT", headers: ["Content-Type: text/plain", TOO_LONG] }],
    [40402, { target: "/v9/plants", method: "PUT", headers: ["Content-Type: text/plain", TOO_LONG] }],
    [40501, { method: "PUT", headers: ["Content-Type: text/plain", TOO_LONG] }],
    [40101, { headers: ["Content-Type: text/plain", TOO_LONG] }],
    [40102, { headers: ["Authorization: Bearer no", "Content-Type: text/plain", TOO_LONG] }],
    [40301, { headers: [reading, "Content-Type: text/plain", TOO_LONG] }],
    [41501, { headers: [authorization, "Content-Type: text/plain", TOO_LONG] }],
    [41301, { headers: [authorization, TOO_LONG] }],
    [40001, { headers: [authorization], body: MALFORMED }],
    [40002, { headers: [authorization], body: '{"id":"x","tag":null}' }],
    [40003, { headers: [authorization], body: '{"id":"x","name":5}' }],
    [40901, { headers: [authorization], body: '{"id":1,"name":"another"}' }],
  ];
  for (const [error, request] of steps) expectRefusal(await client.answer(request), error);
});

test("a token that may send no more is told so before its body is looked at", async () => {
  const request = { headers: ["Content-Type: text/plain"], body: MALFORMED };
  await eventually("so many requests come within a second", async () => {
    const answers = await Promise.all(Array.from({ length: REQUESTS_A_SECOND + 1 }, () => client.create(request)));
    const errors = answers.map(({ body }) => JSON.parse(body).error);
    for (const error of errors) expect(error).toBeOneOf([42901, 41501]);
    return errors.includes(42901);
  });
  expectRefusal(await client.answer({ body: MALFORMED }), 40101);
});
