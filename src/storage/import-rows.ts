import { type RawBuilder, sql } from "kysely";
import { undoMark } from "#core/import.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import type { ImportReads, PlantReads } from "#core/reads.ts";
import type { Queries } from "./database-access.ts";
import type { Engine } from "./engine.ts";
import { type EventRow, EXACT, eventFromRow } from "./event-row.ts";
import { importFromRow, ofStore } from "./imports.ts";

export interface ImportKey {
  readonly account: AccountNumber;
  readonly id: string;
}

/** A write of an import, by the number of its event. */
interface ImportedWrite {
  readonly number: bigint;
  readonly id: bigint;
  /** False if an earlier write of the import was about the same plant. */
  readonly isFirst: boolean;
}

/** The plant of a write, as it is now. */
export interface ImportedPlant extends ImportedWrite {
  /** Undefined if there is none of that id. */
  readonly plant: Pick<Plant, "number" | "revision"> | undefined;
  /** Whose write was the plant's last. */
  readonly last: "import" | "undo" | "other";
}

const text = (name: string) => sql.raw(`CAST(${name} AS text)`);

/** Otherwise SQLite takes an index of all events of the account. */
const BY_PLANT: Readonly<Record<Engine, RawBuilder<unknown>>> = {
  sqlite: sql.raw("INDEXED BY plant_events_plant"),
  postgres: sql.raw(""),
};

/**
 * The writes of an import after a position, in the order of their numbers. A plant at revision 1 is its own created event. A
 * write whose event has expired is left out.
 */
function writes({ account, id }: ImportKey, after: bigint, limit: number, byPlant: RawBuilder<unknown>) {
  return sql`(SELECT found.*, NOT EXISTS (
    SELECT 1 FROM plant_events AS earlier ${byPlant} JOIN plant_event_actors AS mark ON mark.number = earlier.number
    WHERE earlier.account = ${account} AND earlier.plant_id = found.id AND earlier.number < found.number
      AND earlier.number >= (SELECT min(number) FROM plant_event_actors WHERE account = ${account} AND import = ${id})
      AND mark.import = ${id}
  ) AS is_first FROM (
    SELECT mark.number, coalesce(event.plant_id, plant.id) AS id
    FROM (
      SELECT account, number FROM plant_event_actors
      WHERE account = ${account} AND import = ${id} AND number > ${after} ORDER BY number LIMIT ${sql.lit(limit)}
    ) AS mark
    LEFT JOIN plant_events AS event ON event.account = mark.account AND event.number = mark.number
    LEFT JOIN plants AS plant ON plant.account = mark.account AND plant.number = mark.number
  ) AS found WHERE found.id IS NOT NULL)`;
}

async function importedWrites(
  { db, engine }: Within,
  key: ImportKey,
  after: bigint,
  limit: number,
): Promise<ImportedWrite[]> {
  const query = sql<WriteRow>`SELECT ${text("number")} AS number, ${text("id")} AS id, is_first
    FROM ${writes(key, after, limit, BY_PLANT[engine])} AS writes ORDER BY writes.number`;
  return (await query.execute(db)).rows.map(writeFromRow);
}

/** The same with the plants, all from one snapshot. */
export async function importedPlants(
  { db, engine }: Within,
  key: ImportKey,
  after: bigint,
  limit: number,
): Promise<ImportedPlant[]> {
  const { account, id } = key;
  const byPlant = BY_PLANT[engine];
  const query = sql<PlantRow>`SELECT ${text("found.number")} AS number, ${text("found.id")} AS id, is_first,
      ${text("plant_number")} AS plant_number, revision,
      (SELECT import FROM plant_event_actors AS mark WHERE mark.number = found.newest) AS mark
    FROM (
      SELECT writes.*, plant.number AS plant_number, plant.revision, CASE WHEN plant.revision = 1 THEN plant.number ELSE (
        SELECT event.number FROM plant_events AS event ${byPlant}
        WHERE event.account = ${account} AND event.plant_id = writes.id ORDER BY event.plant_id DESC, event.number DESC LIMIT 1
      ) END AS newest
      FROM ${writes(key, after, limit, byPlant)} AS writes
      LEFT JOIN plants AS plant ON plant.account = ${account} AND plant.id = writes.id
    ) AS found ORDER BY found.number`;
  return (await query.execute(db)).rows.map((row) => ({
    ...writeFromRow(row),
    plant: row.plant_number === null ? undefined : { number: BigInt(row.plant_number), revision: Number(row.revision) },
    last: row.mark === id ? "import" : row.mark === undoMark(id) ? "undo" : "other",
  }));
}

/**
 * The texts that a plant had before the import's last writes, between which nobody else wrote; "none" if these created it, and
 * undefined if that is no longer stored.
 */
export async function textsBefore({ db, engine }: Within, { account, id }: ImportKey, plant: bigint) {
  const byPlant = BY_PLANT[engine];
  const query = sql<EventRow>`SELECT ${sql.raw(EXACT)} FROM plant_events ${byPlant}
    WHERE account = ${account} AND plant_id = ${plant} AND number > coalesce((
      SELECT other.number FROM plant_events AS other ${byPlant}
      LEFT JOIN plant_event_actors AS mark ON mark.number = other.number
      WHERE other.account = ${account} AND other.plant_id = ${plant} AND (mark.import IS NULL OR mark.import <> ${id})
      ORDER BY other.plant_id DESC, other.number DESC LIMIT 1
    ), 0) ORDER BY plant_id, number LIMIT 1`;
  const [row] = (await query.execute(db)).rows;
  return row && (eventFromRow(row).previous ?? "none");
}

export interface Within {
  readonly db: Queries;
  readonly engine: Engine;
}

interface WriteRow {
  readonly number: string;
  readonly id: string;
  readonly is_first: boolean | number;
}

interface PlantRow extends WriteRow {
  readonly plant_number: string | null;
  readonly revision: unknown;
  readonly mark: string | null;
}

function writeFromRow({ number, id, is_first }: WriteRow): ImportedWrite {
  return { number: BigInt(number), id: BigInt(id), isFirst: Boolean(is_first) };
}

const PAGE_WRITES = 100;

export function importReads(within: Within, plants: Pick<PlantReads, "findEach">): ImportReads {
  const { db } = within;
  return {
    async list(account) {
      const rows = ofStore(db, account).selectAll().orderBy("at", "desc").orderBy("id").limit(100);
      return (await rows.execute()).map(importFromRow);
    },
    async find(account, id) {
      const row = await ofStore(db, account).selectAll().where("id", "=", id).executeTakeFirst();
      return row && importFromRow(row);
    },
    async plants(account, id, after) {
      const found = await importedWrites(within, { account, id }, after, PAGE_WRITES);
      const first = found.filter(({ isFirst }) => isFirst);
      const { page, plants: kept } = await fitting(first, (ids) => plants.findEach(account, ids));
      const numbers = new Map(page.map(({ id, number }) => [id, number]));
      // A plant with a greater number was added since, under an id that had been removed.
      const still = kept.filter((plant) => plant.number <= (numbers.get(plant.id) ?? 0n));
      const isShort = page.length < first.length;
      const next = isShort ? page.at(-1)?.number : found.length === PAGE_WRITES ? found.at(-1)?.number : undefined;
      return { plants: still, next };
    },
  };
}

/** As many of the writes as have no more text together than a page may. */
async function fitting(first: readonly ImportedWrite[], find: (ids: bigint[]) => Promise<Plant[]>) {
  for (let page = first; ; page = page.slice(0, page.length / 2)) {
    if (page.length === 0) return { page, plants: [] };
    try {
      return { page, plants: await find(page.map(({ id }) => id)) };
    } catch (error) {
      if (page.length === 1) throw error;
    }
  }
}
