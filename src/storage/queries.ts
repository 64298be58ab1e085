import { type Kysely, sql } from "kysely";
import type { AccountNumber } from "#core/plant.ts";
import type { Schema } from "./schema.ts";

/**
 * Builds single statements and runs them. It has no transactions: statements that belong together go through
 * `Atomically`, since on SQLite a transaction that stays open across an await would include other callers' statements.
 */
export type Queries = Pick<Kysely<Schema>, "selectFrom" | "insertInto" | "updateTable" | "deleteFrom" | "getExecutor">;

/**
 * Changes nothing, but locks the account's row on PostgreSQL: other units that begin with it wait for the end of this one,
 * so that what they count is settled.
 */
export function lockingAccount(db: Queries, account: AccountNumber) {
  return db.updateTable("accounts").set({ name: sql<string>`name` }).where("number", "=", account);
}
