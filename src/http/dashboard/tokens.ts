import { Hono } from "hono";
import { NewTokenForm, type NewTokenSecret, RenameForm, RollForm } from "#contract/dashboard/tokens.ts";
import type { Token } from "#core/token.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readForm } from "./form.ts";
import { tokenRecord } from "./token-record.ts";

/** The Developer tab. A new secret is only in the answer to the request that made it. */
export function tokenRoutes({ store, sessions, tokenRules }: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.post("/tokens", async (c) => {
    const { name, scopes, expires_at } = await readForm(c.req.raw, NewTokenForm);
    const { account, source } = c.var.session;
    sessions.requireRecentProof(c.var.session);
    const token = { name, scopes, expiresAt: expires_at === null ? undefined : Date.parse(expires_at) };
    return c.json(secretOnce(await tokenRules.create(account.number, token, source)));
  });

  routes.post("/tokens/revoke-all", async (c) => {
    const { account, source } = c.var.session;
    return c.json({ revoked: await store.tokens.revokeAll(account.number, source) });
  });

  routes.patch("/tokens/:id", async (c) => {
    const { name } = await readForm(c.req.raw, RenameForm);
    const { account, source } = c.var.session;
    const token = await tokenRules.rename(account.number, c.req.param("id"), name, source);
    return c.json(tokenRecord(token, Date.now()));
  });

  routes.post("/tokens/:id/roll", async (c) => {
    const { overlap_seconds, expires_at } = await readForm(c.req.raw, RollForm);
    const { account, source } = c.var.session;
    sessions.requireRecentProof(c.var.session);
    const roll = {
      overlapMs: overlap_seconds * 1000,
      expiresAt: expires_at == null ? expires_at : Date.parse(expires_at),
    };
    return c.json(secretOnce(await tokenRules.roll(account.number, c.req.param("id"), roll, source)));
  });

  routes.post("/tokens/:id/revoke", async (c) => {
    const { account, source } = c.var.session;
    const token = await tokenRules.revoke(account.number, c.req.param("id"), source);
    return c.json(tokenRecord(token, Date.now()));
  });

  return routes;
}

function secretOnce({ secret, token }: { readonly secret: string; readonly token: Token }): NewTokenSecret {
  return { secret, token: tokenRecord(token, Date.now()) };
}
