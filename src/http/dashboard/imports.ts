import { ImportForm } from "#contract/dashboard/imports.ts";
import { displayName } from "#core/person.ts";
import type { Session } from "#core/session.ts";
import { ACCEPTED, forMember, type PrivateRoutes } from "./private-route.ts";

/** Imports that can be undone. What is read of them stands in `../reading/imports.ts`. */
export const IMPORT_ROUTES: PrivateRoutes = {
  "POST /dashboard/api/imports": forMember(
    "change plants",
    { form: ImportForm },
    async ({ records }, { store, session, form: { file_name } }) => ({
      id: await records.imports.begin(store.account, file_name, personOf(session)),
    }),
  ),

  "POST /dashboard/api/imports/:id/undo": forMember(
    "change plants",
    {},
    async ({ records }, { store, session, id }) => {
      await records.imports.undo(store.account, id, personOf(session));
      return ACCEPTED;
    },
  ),
};

function personOf({ person }: Session) {
  return { kind: "person", id: person.id, name: displayName(person) } as const;
}
