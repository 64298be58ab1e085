import { expect, test } from "bun:test";
import { newSecret } from "#core/token.ts";
import { contextWith } from "#test/support/request-context.ts";
import { authenticate } from "./bearer.ts";
import type { TokenCache } from "./token-cache.ts";

test("a mistyped token costs no look-up at all, an unknown one costs one each time", async () => {
  const lookedUp: string[] = [];
  const lookUp = async (_: string, secret: string) => void lookedUp.push(secret);
  const tokens = { fresh: () => undefined, lookUp } as Partial<TokenCache> as TokenCache;
  const outcome = async (secret: string) => {
    const context = contextWith({ tokens }, { Authorization: `Bearer ${secret}` });
    return Promise.resolve(authenticate(context, "plants:write", Date.now())).catch(({ code }) => code);
  };
  const secret = newSecret(() => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0);
  const last = secret.endsWith("0") ? "1" : "0";
  for (const mistyped of [secret.slice(0, -1), `${secret}x`, secret.toUpperCase(), secret.replace(/.$/, last)])
    expect([mistyped, await outcome(mistyped)]).toEqual([mistyped, "token-refused"]);
  expect(lookedUp).toEqual([]);
  for (let times = 0; times < 3; times++) expect(await outcome(secret)).toBe("token-refused");
  expect(lookedUp).toEqual([secret, secret, secret]);
});
