import type { Kysely } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/**
 * Answers counted by account, token and interval. Each answer is counted in its minute and in its hour, under its token
 * and under "" for the whole account, so that every chart reads few rows. `outcome` is 0 for an answer below 400, 1 for
 * a plant created, otherwise the number of the error. There is no foreign key: an account's rows are removed in slices.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  await db.schema
    .createTable("usage_counts")
    .addColumn("account", int64, (column) => column.notNull())
    .addColumn("token", "text", (column) => column.notNull())
    .addColumn("span", "text", (column) => column.notNull())
    .addColumn("start", int64, (column) => column.notNull())
    .addColumn("outcome", "integer", (column) => column.notNull())
    .addColumn("count", int64, (column) => column.notNull())
    .addPrimaryKeyConstraint("usage_counts_key", ["account", "token", "span", "start", "outcome"])
    .execute();
  await db.schema.createIndex("usage_counts_start").on("usage_counts").columns(["span", "start"]).execute();
}
