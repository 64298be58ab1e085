import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import type { Token } from "#core/token.ts";
import { personOf, wholeOf } from "#load/counted-as.ts";
import { testCaller } from "#test/support/audit.ts";
import { contextWith } from "#test/support/request-context.ts";
import { CachedToken } from "./token-cache.ts";

test("the end of a request tells of a refusal its number and its message, and of a fault nothing of its text", () => {
  const context = contextWith({});
  expect([context.errorNumber, context.message]).toEqual([undefined, undefined]);
  context.error = new Failure("id-taken", "There is another plant 7");
  expect([context.errorNumber, context.message]).toEqual([40901, "There is another plant 7"]);
  context.error = new Error("password of the database: hunter2");
  expect([context.errorNumber, context.message]).toEqual([50001, "The service failed"]);
});

test("10,000 requests have 10,000 ids, short and without a character that needs quoting", () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => contextWith({}).id));
  expect(ids.size).toBe(10_000);
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{18}$/);
});

test("limits count a request for the account of its good token, the store and person of its page, else for its network", () => {
  const clientInfoOf = ({ headers }: Request) => ({ origin: "http://localhost", address: "2001:db8::7", headers });
  const context = contextWith({ clientInfoOf });
  expect(context.subject).toBe("2001:db8:0:0::/64");
  const counted = () => [wholeOf(context.subject), personOf(context.subject)];
  context.report.caller = { ...testCaller(7), person: "ada" };
  expect(counted()).toEqual([7, "ada"]);
  const token = { account: 8, madeBy: "ada" } as Token;
  context.report.caller = new CachedToken({ isStillGood: () => true }, "", "", token, 0);
  expect(counted()).toEqual([8, undefined]);
});
