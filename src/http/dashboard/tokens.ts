import { type Context, Hono } from "hono";
import { NewTokenForm, type NewTokenSecret, RenameForm, RollForm, type TokenRecord } from "#contract/dashboard.ts";
import { timestamp } from "#contract/plant.ts";
import { Failure } from "#core/failure.ts";
import { type Token, tokenState } from "#core/token.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readForm } from "./form.ts";

/** The Developer tab. A new secret is in the answer that made it, and nowhere else. */
export function tokenRoutes(context: DashboardContext): Hono<DashboardEnv> {
  const { tokens } = context.store;
  const routes = new Hono<DashboardEnv>();

  routes.get("/tokens", async (c) => {
    const now = Date.now();
    const listed = await tokens.list(c.var.session.account.number);
    return c.json({ tokens: listed.map((token) => tokenRecord(token, now)) });
  });

  routes.post("/tokens", async (c) => {
    const { name, scopes, expires_at } = await readForm(c.req.raw, NewTokenForm);
    const now = Date.now();
    const expiresAt = expires_at === null ? undefined : Date.parse(expires_at);
    if (expiresAt !== undefined && expiresAt <= now) throw pastExpiry();
    const answer = await made(context, c.var.session.account.number, { name, scopes: [...new Set(scopes)], expiresAt });
    logChange(context, c, answer.token.id, "token made");
    return c.json(answer);
  });

  routes.patch("/tokens/:id", async (c) => {
    const { name } = await readForm(c.req.raw, RenameForm);
    const token = await tokens.rename(c.var.session.account.number, c.req.param("id"), name);
    return c.json(tokenRecord(required(token), Date.now()));
  });

  routes.post("/tokens/:id/roll", async (c) => {
    const { overlap_seconds } = await readForm(c.req.raw, RollForm);
    const { number } = c.var.session.account;
    const now = Date.now();
    const old = required((await tokens.list(number)).find(({ id }) => id === c.req.param("id")));
    if (tokenState(old, now) !== "active") throw notActive(old, now);
    const answer = await made(context, number, { name: old.name, scopes: old.scopes, expiresAt: old.expiresAt });
    await tokens.revoke(number, old.id, now + overlap_seconds * 1000);
    logChange(context, c, old.id, "token rolled");
    return c.json(answer);
  });

  routes.post("/tokens/:id/revoke", async (c) => {
    const now = Date.now();
    const token = await tokens.revoke(c.var.session.account.number, c.req.param("id"), now);
    logChange(context, c, required(token).id, "token revoked");
    return c.json(tokenRecord(required(token), now));
  });

  return routes;
}

function logChange(context: DashboardContext, c: Context<DashboardEnv>, token: string, message: string): void {
  const { requestId, client } = c.env;
  context.log.info({ requestId, account: c.var.session.account.id, token, address: client.address }, message);
}

async function made(context: DashboardContext, account: number, token: Pick<Token, "name" | "scopes" | "expiresAt">) {
  const secret = context.newSecret();
  const kept = await context.store.tokens.add(account, token, secret);
  return { secret, token: tokenRecord(kept, Date.now()) } satisfies NewTokenSecret;
}

export function tokenRecord(token: Token, now: number): TokenRecord {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    scopes: [...token.scopes],
    created_at: timestamp(token.createdAt),
    last_used_at: optionalTimestamp(token.lastUsedAt),
    expires_at: optionalTimestamp(token.expiresAt),
    revoked_at: optionalTimestamp(token.revokedAt),
    state: tokenState(token, now),
  };
}

function optionalTimestamp(ms: number | undefined): string | null {
  return ms === undefined ? null : timestamp(ms);
}

function required(token: Token | undefined): Token {
  if (token) return token;
  throw new Failure("resource-unknown", "There is no such token; it may have been removed in another window");
}

function notActive(token: Token, now: number): Failure {
  return new Failure("member-invalid", `This token is ${tokenState(token, now)}; only an active one can be rolled`);
}

function pastExpiry(): Failure {
  return new Failure("member-invalid", 'Cannot take "expires_at": it must lie ahead');
}
