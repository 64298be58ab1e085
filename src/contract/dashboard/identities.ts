import { z } from "zod";
import { PROVIDER_PURPOSES } from "#core/session.ts";

/**
 * Signing in by the identity provider that the operator has set (OpenID Connect). Without one begin and finish are 404 (40401).
 *
 * - `POST /auth/oidc/begin`, ProviderBeginForm: 200 ProviderBegun; connect takes a proof made for this change alone, proof a
 *   session; 429 (42901), 503 (50350)
 * - `POST /auth/oidc/finish`, ProviderFinishForm: 200 ProviderFinished, and the session's cookie; 401 (40154, 40155), 409
 *   (40953), 503 (50350)
 * - `GET /identities`: 200 IdentityList
 * - `POST /identities/{id}/remove`: proof made for this change alone; 204; 409 (40955) for the last way in
 */

export const ProviderBeginForm = z.object({ purpose: z.enum(PROVIDER_PURPOSES) });

export interface ProviderBegun {
  /** The page goes there, and is led back to `/dashboard/sign-in` with a query. */
  readonly url: string;
}

/** `search` is that query. Providers' codes have up to a few kilobytes. `invitation` is the token of its link. */
export const ProviderFinishForm = z.object({
  search: z.string().max(12_000),
  invitation: z.string().max(200).optional(),
});

export interface ProviderFinished {
  readonly purpose: (typeof PROVIDER_PURPOSES)[number];
  /** When the proof expires; null for another purpose. */
  readonly until: string | null;
}

export interface IdentityRecord {
  readonly id: string;
  readonly issuer: string;
  /** The address as the provider said it, or "". */
  readonly email: string;
  readonly added_at: string;
  readonly last_used_at: string;
}

export interface IdentityList {
  readonly identities: readonly IdentityRecord[];
}
