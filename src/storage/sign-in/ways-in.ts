import { type RawBuilder, sql } from "kysely";

/** True if the person can sign in without the passkey or identity of that id: nobody removes the last way in. */
export function hasOtherWayIn(personId: string, id: string): RawBuilder<boolean> {
  return sql<boolean>`(
    EXISTS (SELECT 1 FROM people AS other WHERE other.id = ${personId} AND other.password IS NOT NULL)
    OR EXISTS (SELECT 1 FROM identities AS other WHERE other.person = ${personId} AND other.id <> ${id})
    OR EXISTS (SELECT 1 FROM passkeys AS other WHERE other.person = ${personId} AND other.id <> ${id})
  )`;
}
