import type { DatabaseAccess, Queries } from "./database-access.ts";
import { keptSecret } from "./kept-secrets.ts";

/** The name, among the kept values, of the time at which this copy was restored for a drill. */
const DRILL = "drill";

/** Marks a copy that was restored to see whether it can be: a service on it calls nobody, and makes no backups. */
export async function markDrill(db: Queries): Promise<void> {
  await keptSecret(db, DRILL, () => new Date().toISOString());
}

/** The time at which a drill restored this copy; undefined for any other database. */
export async function drillSince(db: Queries): Promise<string | undefined> {
  const kept = db.selectFrom("kept_secrets").select("value").where("name", "=", DRILL);
  return (await kept.executeTakeFirst())?.value;
}

/** The name, among the kept values, of the time at which this copy was restored, and of its backup. */
const RESTORED = "restored";

export async function markRestored({ db }: Pick<DatabaseAccess, "db">, backup: string): Promise<void> {
  const value = `${new Date().toISOString()} ${backup}`;
  await db
    .insertInto("kept_secrets")
    .values({ name: RESTORED, value })
    // The backup may be one of a restored copy.
    .onConflict((taken) => taken.column("name").doUpdateSet({ value }))
    .execute();
}

/** When this copy was restored, and from which backup; undefined for a database that was not. */
export async function restoredFrom(db: Queries): Promise<{ readonly at: string; readonly backup: string } | undefined> {
  const kept = db.selectFrom("kept_secrets").select("value").where("name", "=", RESTORED);
  const [at, backup] = (await kept.executeTakeFirst())?.value.split(" ") ?? [];
  return at === undefined || backup === undefined ? undefined : { at, backup };
}

/** Ends the drill, with the mail that was waiting: the original has sent it, or the drill made it. False if it is none. */
export async function endDrill({ db, atomically }: Pick<DatabaseAccess, "db" | "atomically">): Promise<boolean> {
  if ((await drillSince(db)) === undefined) return false;
  await atomically([db.deleteFrom("mail_queue"), db.deleteFrom("kept_secrets").where("name", "=", DRILL)]);
  return true;
}
