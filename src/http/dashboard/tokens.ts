import { NewTokenForm, type NewTokenSecret, RenameForm, RollForm } from "#contract/dashboard/tokens.ts";
import type { Token } from "#core/token.ts";
import type { Routes, SessionRequest } from "./dashboard-context.ts";
import { tokenRecord } from "./token-record.ts";

/** The Developer tab. A new secret is only in the answer to the request that made it. */
export const TOKEN_ROUTES: Routes<SessionRequest> = {
  "POST /tokens": async ({ proofs, tokenRules }, { session, form }) => {
    const { name, scopes, expires_at } = await form(NewTokenForm);
    proofs.requireRecent(session);
    const token = { name, scopes, expiresAt: expires_at === null ? undefined : Date.parse(expires_at) };
    return secretOnce(await tokenRules.create(session.account.number, token, session.source));
  },

  "POST /tokens/revoke-all": async ({ records }, { session: { account, source } }) => ({
    revoked: await records.tokens.revokeAll(account.number, source),
  }),

  "PATCH /tokens/:id": async ({ tokenRules }, { session: { account, source }, id, form }) => {
    const { name } = await form(RenameForm);
    return tokenRecord(await tokenRules.rename(account.number, id, name, source), Date.now());
  },

  "POST /tokens/:id/roll": async ({ proofs, tokenRules }, { session, id, form }) => {
    const { overlap_seconds, expires_at } = await form(RollForm);
    proofs.requireRecent(session);
    const expiresAt = expires_at == null ? expires_at : Date.parse(expires_at);
    const roll = { overlapMs: overlap_seconds * 1000, expiresAt };
    return secretOnce(await tokenRules.roll(session.account.number, id, roll, session.source));
  },

  "POST /tokens/:id/revoke": async ({ tokenRules }, { session: { account, source }, id }) =>
    tokenRecord(await tokenRules.revoke(account.number, id, source), Date.now()),
};

function secretOnce({ secret, token }: { readonly secret: string; readonly token: Token }): NewTokenSecret {
  return { secret, token: tokenRecord(token, Date.now()) };
}
