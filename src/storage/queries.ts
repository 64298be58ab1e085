import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/**
 * Builds single statements and runs them. It has no transactions: statements that belong together go through
 * `Atomically`, since on SQLite a transaction that is open across an await would take other callers' statements with it.
 */
export type Queries = Pick<Kysely<Schema>, "selectFrom" | "insertInto" | "updateTable" | "deleteFrom" | "getExecutor">;
