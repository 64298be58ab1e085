import type { Kysely } from "kysely";

/** The entries of the audit log that commands have made, and that a service has not written to its log yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("audit_lines")
    .addColumn("id", "text", (column) => column.primaryKey())
    .execute();
}
