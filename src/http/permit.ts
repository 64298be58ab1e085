import type { Context } from "hono";
import type { Scope } from "#core/token.ts";
import { authenticate } from "./bearer.ts";
import type { Env } from "./env.ts";
import type { Service } from "./service.ts";
import type { CachedToken } from "./token-cache.ts";

/** The token, its scope and its rate, in the order of the contract. */
export async function permit(service: Service, c: Context<Env>, scope: Scope): Promise<CachedToken> {
  const known = await authenticate(service.tokens, c.req.raw, scope, Date.now());
  c.set("known", known);
  await service.rateLimit?.count(c.req.raw, known.token.id);
  return known;
}
