import type { Context } from "hono";
import type { Scope } from "#core/token.ts";
import { authenticate } from "./bearer.ts";
import type { Env } from "./env.ts";
import type { KnownToken } from "./known-tokens.ts";
import { countRequest } from "./rate-limit.ts";
import type { Service } from "./service.ts";

/** The token, its scope and its rate, in the order of the contract. */
export async function permit(service: Service, c: Context<Env>, scope: Scope): Promise<KnownToken> {
  const known = await authenticate(service.tokens, c.req.raw, scope, Date.now());
  c.set("known", known);
  if (service.rateLimit) {
    for (const [name, value] of Object.entries(await countRequest(service.rateLimit, known.token.id)))
      c.header(name, value);
  }
  return known;
}
