import {
  type IdentityList,
  ProviderBeginForm,
  type ProviderBegun,
  type ProviderFinished,
  ProviderFinishForm,
} from "#contract/dashboard/identities.ts";
import { timestamp } from "#contract/timestamp.ts";
import type { ProofNeeded } from "#core/session.ts";
import { forAnybody, forPerson, forVisitorOrPerson, type PrivateRoutes } from "./private-route.ts";

/** Signing in by an identity provider, and the identities that do so. */
export const IDENTITY_ROUTES: PrivateRoutes = {
  "POST /auth/oidc/begin": forVisitorOrPerson(
    {
      form: ProviderBeginForm,
      proof: ({ form: { purpose } }): ProofNeeded | undefined => (purpose === "connect" ? "unspent" : undefined),
    },
    async ({ identities }, { client, session, form: { purpose }, cookies }) => {
      const { url, cookies: begun } = await identities.begin(client, purpose, session);
      cookies.push(...begun);
      return { url } satisfies ProviderBegun;
    },
  ),

  "POST /auth/oidc/finish": forAnybody(
    { form: ProviderFinishForm },
    async ({ identities }, { client, form, cookies }) => {
      const { purpose, until, ...finished } = await identities.finish(client, form.search, form.invitation);
      cookies.push(...finished.cookies);
      return { purpose, until: until === undefined ? null : timestamp(until) } satisfies ProviderFinished;
    },
  ),

  "GET /dashboard/api/identities": forPerson({}, async ({ identities }, { session }) => {
    const listed = (await identities.list(session)).map(({ id, issuer, email, addedAt, lastUsedAt }) => {
      return { id, issuer, email, added_at: timestamp(addedAt), last_used_at: timestamp(lastUsedAt) };
    });
    return { identities: listed } satisfies IdentityList;
  }),

  "POST /dashboard/api/identities/:id/remove": forPerson({ proof: "unspent" }, ({ identities }, { session, id }) =>
    identities.remove(session, id),
  ),
};
