import type { RemovedStore } from "#core/store.ts";
import type { Queries } from "./database-access.ts";

/** The removed stores whose entries in the audit log are still there, by the entry of their removal. */
export async function removedStores(db: Queries): Promise<RemovedStore[]> {
  const rows = await removals(db).select(["account", "target"]).where("account", "is not", null).execute();
  return rows.flatMap(({ account, target }) =>
    account === null || target === null ? [] : { number: account, id: target },
  );
}

/** The id of the person who was removed last with that address. */
export async function removedPerson(db: Queries, email: string): Promise<string | undefined> {
  const removed = removals(db).select("person").where("person", "is not", null);
  const row = await removed
    .where("detail", "=", JSON.stringify({ email }))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.person ?? undefined;
}

function removals(db: Queries) {
  return db.selectFrom("audit_entries").where("action", "=", "account.deleted");
}
