import type { Queries } from "./database-access.ts";

/** The stored value with that name; the first caller makes it. */
export async function keptSecret(db: Queries, name: string, make: () => string): Promise<string> {
  const kept = db.selectFrom("kept_secrets").select("value").where("name", "=", name);
  const found = await kept.executeTakeFirst();
  if (found) return found.value;
  const value = make();
  await db
    .insertInto("kept_secrets")
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await kept.executeTakeFirstOrThrow()).value;
}
