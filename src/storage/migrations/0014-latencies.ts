import type { Kysely } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/**
 * Response times by account, token, version of the interface and interval, as counts by bucket (`core/latency.ts`).
 * Their sums say who still calls which version. As in usage_counts, "" stands for the whole account.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  await db.schema
    .createTable("latencies")
    .addColumn("account", int64, (column) => column.notNull())
    .addColumn("token", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("span", "text", (column) => column.notNull())
    .addColumn("start", int64, (column) => column.notNull())
    .addColumn("bucket", "integer", (column) => column.notNull())
    .addColumn("count", int64, (column) => column.notNull())
    .addPrimaryKeyConstraint("latencies_key", ["account", "token", "span", "start", "version", "bucket"])
    .execute();
  await db.schema.createIndex("latencies_start").on("latencies").columns(["span", "start"]).execute();
}
