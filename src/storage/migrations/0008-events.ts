import { type Kysely, sql } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/**
 * The feed of changes. A plant at revision 1 is its own created event; `plant_events` has the changes and removals, and
 * the created events of plants that were changed or removed later. `kind` is 0 for created, 1 for changed, 2 for
 * removed. `number_marks` records the last number of each hour, for retention; its row with `at` 0 is the last number
 * that is no longer stored. Plants from before this migration have no complete history, so the feed starts after them.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  const events = db.schema
    .createTable("plant_events")
    .addColumn("number", int64, (column) => (engine === "sqlite" ? column.primaryKey() : column.notNull()))
    .addColumn("account", int64, (column) => column.notNull())
    .addColumn("kind", "integer", (column) => column.notNull())
    .addColumn("at", int64, (column) => column.notNull())
    .addColumn("plant_id", int64, (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("tag", "text")
    .addColumn("old_name", "text")
    .addColumn("old_tag", "text")
    .addColumn("created_at", int64, (column) => column.notNull())
    .addColumn("updated_at", int64, (column) => column.notNull());
  if (engine === "sqlite") {
    await events.execute();
    await db.schema.createIndex("plant_events_account").on("plant_events").column("account").execute();
  } else {
    await events.addPrimaryKeyConstraint("plant_events_key", ["account", "number"]).execute();
    await db.schema.createIndex("plant_events_number").on("plant_events").column("number").execute();
  }
  await db.schema
    .createTable("number_marks")
    .addColumn("at", int64, (column) => column.primaryKey())
    .addColumn("number", int64, (column) => column.notNull())
    .execute();
  const last = engine === "sqlite" ? sql`SELECT value FROM counters WHERE name = 'plant_number'` : LAST_VALUE;
  await sql`INSERT INTO number_marks (at, number) SELECT 0, (${last})`.execute(db);
}

const LAST_VALUE = sql`SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM plant_number`;
