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

/** Ends the drill, with the mail that was waiting: the original has sent it, or the drill made it. False if it is none. */
export async function endDrill({ db, atomically }: Pick<DatabaseAccess, "db" | "atomically">): Promise<boolean> {
  if ((await drillSince(db)) === undefined) return false;
  await atomically([db.deleteFrom("mail_queue"), db.deleteFrom("kept_secrets").where("name", "=", DRILL)]);
  return true;
}
