import type { Migrations } from "../engine.ts";

/** A table with more stored events gets its indexes outside of the migration, without holding up changes. */
const INDEXED_AT_ONCE_MAX = 100_000;

const OF_PLANTS = { plant_events_plant: "plant_events (account, plant_id, number)" } as const;

/**
 * The indexes of `plant_events`, by name: the events of one plant, and the removals. Creates write neither. The sum keeps
 * PostgreSQL from an index that has the events of all kinds or accounts in the same order.
 */
export const EVENT_INDEXES = {
  sqlite: { ...OF_PLANTS, plant_events_removed: "plant_events (account, number) WHERE kind = 2" },
  postgres: { ...OF_PLANTS, plant_events_removals: "plant_events (account, (number + 0)) WHERE kind = 2" },
} as const;

/** The actors of events. */
export const migrations: Migrations = {
  /**
   * `plant_event_actors` has who did it, in the form of `core/event-actor.ts`, by the number of the event: of a change or a
   * removal, and of the created event of a plant that a person created. It is no column of `plant_events`, since an older
   * node on SQLite inserts there without naming columns. The row of `number_marks` with `at` -1 is the last number from
   * before, under which nobody was recorded.
   */
  "0021-history": ({ int64 }, engine) => [
    `CREATE TABLE plant_event_actors (
      number ${engine === "sqlite" ? "integer" : "bigint"} PRIMARY KEY, account ${int64} NOT NULL, actor text NOT NULL
    )`,
    "CREATE INDEX plant_event_actors_account ON plant_event_actors (account)",
    ...(engine === "sqlite"
      ? [
          ...Object.entries(EVENT_INDEXES.sqlite).map(([name, on]) => `CREATE INDEX ${name} ON ${on}`),
          "INSERT INTO number_marks (at, number) SELECT -1, value FROM counters WHERE name = 'plant_number'",
        ]
      : [
          `DO $$ BEGIN IF NOT EXISTS (SELECT FROM plant_events OFFSET ${INDEXED_AT_ONCE_MAX}) THEN
            ${Object.entries(EVENT_INDEXES.postgres)
              .map(([name, on]) => `CREATE INDEX ${name} ON ${on};`)
              .join("\n")}
          END IF; END $$`,
          "INSERT INTO number_marks (at, number) SELECT -1, CASE WHEN is_called THEN last_value ELSE 0 END FROM plant_number",
          `CREATE FUNCTION keep_creators(accounts bigint[], ids bigint[], actors text[]) RETURNS boolean LANGUAGE plpgsql VOLATILE
          SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
          BEGIN
            INSERT INTO plant_event_actors (number, account, actor)
            SELECT plants.number, plants.account, given.actor
            FROM unnest(accounts, ids, actors) AS given (account, id, actor)
            JOIN plants ON plants.account = given.account AND plants.id = given.id
            WHERE given.actor IS NOT NULL AND plants.xmin = pg_current_xact_id()::xid;
            RETURN true;
          END $$`,
        ]),
  ],
};
