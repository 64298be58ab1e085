import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/**
 * Builds single statements and runs them. It has no transactions: statements that belong together go through
 * `Atomically`, since on SQLite a transaction that stays open across an await would include other callers' statements.
 */
export type Queries = Pick<Kysely<Schema>, "selectFrom" | "insertInto" | "updateTable" | "deleteFrom" | "getExecutor">;
