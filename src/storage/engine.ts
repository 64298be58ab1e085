import { type ColumnDefinitionBuilder, type RawBuilder, sql } from "kysely";

export type Engine = "sqlite" | "postgres";

/** The names of the column types in each engine. */
export function columnTypes(engine: Engine) {
  return engine === "sqlite"
    ? ({
        int64: "integer",
        bytes: "blob",
        date: "text",
        flag: "integer",
        serial: { type: "integer", key: (column: ColumnDefinitionBuilder) => column.primaryKey().autoIncrement() },
      } as const)
    : ({
        int64: "bigint",
        bytes: "bytea",
        date: "timestamptz",
        flag: "boolean",
        serial: {
          type: "bigint",
          key: (column: ColumnDefinitionBuilder) => column.primaryKey().generatedByDefaultAsIdentity(),
        },
      } as const);
}

/** A boolean as the engine stores it; SQLite has no booleans. */
export function flag(engine: Engine, value: boolean): boolean | number {
  return engine === "sqlite" ? Number(value) : value;
}

/** The engines' own codes for it; PostgreSQL's messages are in the language of the database. */
const DUPLICATE: ReadonlySet<unknown> = new Set(["23505", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"]);

/** Returns true for the error of either engine when a row with the same unique value is there already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && "code" in error && DUPLICATE.has(error.code);
}

/** Milliseconds since 1970 by the database's clock, so that the clocks of the nodes need not agree. */
export const DATABASE_NOW: Readonly<Record<Engine, RawBuilder<number>>> = {
  sqlite: sql<number>`CAST(unixepoch('subsec') * 1000 AS integer)`,
  postgres: sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
};
