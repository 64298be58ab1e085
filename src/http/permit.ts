import type { Context } from "hono";
import type { Scope } from "#core/token.ts";
import { authenticate } from "./bearer.ts";
import type { Env } from "./env.ts";
import type { Service } from "./service.ts";
import type { CachedToken } from "./token-cache.ts";

/** Checks the token, its scope and its rate, in the order of the contract. */
export async function permit(service: Service, c: Context<Env>, scope: Scope): Promise<CachedToken> {
  const { context } = c.env;
  const cached = await authenticate(context, scope, Date.now());
  await service.rateLimit?.count(context, cached.token);
  return cached;
}
