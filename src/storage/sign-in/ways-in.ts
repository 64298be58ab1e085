import { type RawBuilder, sql } from "kysely";

/** The `provider_id` of a row of `credentials` that has a password. Every other one is the issuer of an identity. */
export const PASSWORD_PROVIDER = "credential";

/** True if the person can sign in without the passkey or identity of that id: nobody removes the last way in. */
export function hasOtherWayIn(personId: string, id: string): RawBuilder<boolean> {
  return sql<boolean>`(
    EXISTS (SELECT 1 FROM credentials AS other WHERE other.user_id = ${personId} AND other.id <> ${id})
    OR EXISTS (SELECT 1 FROM passkeys AS other WHERE other.user_id = ${personId} AND other.id <> ${id})
  )`;
}
