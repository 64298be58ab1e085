import { expect, test } from "bun:test";
import type { Token } from "#core/token.ts";
import { MemoryCounts } from "#load/throttle.ts";
import { contextWith } from "#test/support/request-context.ts";
import { RateLimit } from "./rate-limit.ts";

/** A limit whose second does not end during a test. */
function limited(requestsPerSecond: number): RateLimit {
  return new RateLimit(new MemoryCounts(), requestsPerSecond, () => 0);
}

const context = () => contextWith({});

function token(id: string, more: Partial<Token> = {}): Token {
  return { id, account: 1, session: undefined, ...more } as Token;
}

async function outcome(limit: RateLimit, of: Token): Promise<string> {
  return limit.count(context(), of).then(
    () => "passed",
    ({ code }) => code,
  );
}

test("a token is refused past its limit, is told when to come back, and no other token is refused", async () => {
  const limit = limited(2);
  const answers: string[] = [];
  for (let i = 0; i < 3; i++) answers.push(await outcome(limit, token("a")));
  expect(answers).toEqual(["passed", "passed", "rate-limited"]);
  expect(await outcome(limit, token("b"))).toBe("passed");
  const refusal = await limit.count(context(), token("a")).catch((error) => error);
  expect(refusal.detail.headers["Retry-After"]).toBe("1");
});

test("each answer says what is left", async () => {
  const limit = limited(2);
  const left: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const answered = context();
    await limit.count(answered, token("a")).catch(() => undefined);
    expect(answered.rateHeaders?.["RateLimit-Policy"]).toBe('"token";q=2;w=1');
    left.push(/r=(\d+)/.exec(answered.rateHeaders?.RateLimit ?? "")?.[1]);
  }
  expect(left).toEqual(["1", "0", "0"]);
});

test("the tokens of an account's pages share one limit, apart from its other tokens and from other accounts", async () => {
  const limit = limited(1);
  expect(await outcome(limit, token("a", { session: "ses_1" }))).toBe("passed");
  expect(await outcome(limit, token("b", { session: "ses_1" }))).toBe("rate-limited");
  expect(await outcome(limit, token("c"))).toBe("passed");
  expect(await outcome(limit, token("d", { session: "ses_1", account: 2 }))).toBe("passed");
});

test("an import takes what is left and no more, and ends while it waits if it must", async () => {
  const limit = limited(10);
  const go = () => undefined;
  expect(await limit.take(context(), token("a"), 6, go)).toBe(6);
  expect(await limit.take(context(), token("a"), 6, go)).toBe(4);
  let asked = 0;
  const stop = () => {
    if (++asked === 2) throw new Error("revoked");
  };
  await expect(limit.take(context(), token("a"), 6, stop)).rejects.toThrow("revoked");
  expect(asked).toBe(2);
});
