import type { MadeToken } from "#accounts/token-service.ts";
import { NewTokenForm, type NewTokenSecret, RenameForm, RollForm } from "#contract/dashboard/tokens.ts";
import { tokenRecord } from "#contract/token-record.ts";
import { forMember, type PrivateRoutes } from "./private-route.ts";

/** The Developer tab. A new secret is only in the answer to the request that made it. */
export const TOKEN_ROUTES: PrivateRoutes = {
  "POST /dashboard/api/tokens": forMember(
    "use tokens",
    { form: NewTokenForm, proof: "recent" },
    async ({ tokenRules }, { caller, form: { name, scopes, expires_at } }) => {
      const token = { name, scopes, expiresAt: expires_at === null ? undefined : Date.parse(expires_at) };
      return secretOnce(await tokenRules.create(caller, token));
    },
  ),

  "POST /dashboard/api/tokens/revoke-all": forMember("use tokens", {}, async ({ records }, { caller }) => ({
    revoked: await records.tokens.revokeAll(caller),
  })),

  "PATCH /dashboard/api/tokens/:id": forMember(
    "use tokens",
    { form: RenameForm },
    async ({ tokenRules }, { caller, id, form }) =>
      tokenRecord(await tokenRules.rename(caller, id, form.name), Date.now()),
  ),

  "POST /dashboard/api/tokens/:id/roll": forMember(
    "use tokens",
    { form: RollForm, proof: "recent" },
    async ({ tokenRules }, { caller, id, form: { overlap_seconds, expires_at } }) => {
      const expiresAt = expires_at == null ? expires_at : Date.parse(expires_at);
      return secretOnce(await tokenRules.roll(caller, id, { overlapMs: overlap_seconds * 1000, expiresAt }));
    },
  ),

  "POST /dashboard/api/tokens/:id/revoke": forMember("use tokens", {}, async ({ records }, { caller, id }) =>
    tokenRecord(await records.tokens.revoke(caller, id), Date.now()),
  ),
};

function secretOnce({ secret, token }: MadeToken): NewTokenSecret {
  return { secret, token: tokenRecord(token, Date.now()) };
}
