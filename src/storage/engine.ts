import type { ColumnDefinitionBuilder } from "kysely";

export type Engine = "sqlite" | "postgres";

/** The engines' own names of the column types that both have. */
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
