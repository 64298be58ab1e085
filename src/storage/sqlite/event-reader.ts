import { eventsExpired, type PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { IndexHints } from "../event-history.ts";
import type { EventStep, ReadStep } from "../event-reader.ts";
import { DERIVED, type EventRow, eventFromRow, kindMask, SCAN_STEP_ROWS, textBytes, WRITTEN } from "../event-row.ts";
import { asFailure } from "./errors.ts";
import { exact, type ReadConnection } from "./read-connection.ts";

/** Index hints, without which SQLite would read all events of the account by number. */
export const EVENT_INDEX_HINTS: IndexHints = {
  byPlant: "INDEXED BY plant_events_plant",
  byRemoval: "INDEXED BY plant_events_removed",
  removal: "number",
};

type Range = [account: AccountNumber, after: bigint, until: bigint, plant: bigint | null];

/**
 * Only one connection writes at a time, so numbers are in the order of the commits, and everything committed may be
 * read.
 */
export function stepReader(database: ReadConnection): ReadStep {
  const ofAll = rangeReader(database, { plants: "?4 IS NULL", events: "?4 IS NULL", hint: "" });
  const ofPlant = rangeReader(database, {
    plants: "id = ?4",
    events: "plant_id = ?4",
    hint: EVENT_INDEX_HINTS.byPlant,
  });
  const expired = exact<{ number: bigint }, []>(database, "SELECT number FROM number_marks WHERE at = 0");
  return async (account, { after, until, limit, types, plant }, textBytesMax) => {
    const { page, endOf } = plant === undefined ? ofAll : ofPlant;
    const id = plant ?? null;
    return asFailure((): EventStep => {
      if (after < (expired.get()?.number ?? 0n)) throw eventsExpired();
      if (until <= after) return { events: [], next: after, ends: false };
      const next = endOf(account, after, until, id);
      const events: PlantEvent[] = [];
      let bytes = 0;
      for (const row of page.iterate(account, after, next, id, kindMask(types), limit)) {
        const event = eventFromRow(row);
        bytes += textBytes(event);
        if (events.push(event) === limit || bytes >= textBytesMax) return { events, next: event.number, ends: true };
      }
      return { events, next, ends: false };
    });
  };
}

/** The conditions say which plants and which stored events are read. */
function rangeReader(database: ReadConnection, condition: Readonly<Record<"plants" | "events" | "hint", string>>) {
  const range = "account = ?1 AND number > ?2 AND number <= ?3";
  const plants = `plants WHERE ${range} AND ${condition.plants}`;
  const events = `plant_events ${condition.hint} WHERE ${range} AND ${condition.events}`;
  const ends = [plants, events].map((rows) =>
    exact<{ number: bigint }, Range>(
      database,
      `SELECT number FROM ${rows} ORDER BY number LIMIT 1 OFFSET ${SCAN_STEP_ROWS - 1}`,
    ),
  );
  return {
    page: exact<EventRow, [...Range, kinds: number, limit: number]>(
      database,
      `SELECT ${DERIVED} FROM ${plants} AND revision = 1 AND ?5 & 1
       UNION ALL SELECT ${WRITTEN} FROM ${events} AND (?5 >> kind) & 1
       ORDER BY number LIMIT ?6`,
    ),
    /** The last number of a step. */
    endOf(...[account, after, until, plant]: Range): bigint {
      const reached = ends.map((end) => end.get(account, after, until, plant)?.number ?? until);
      return reached.reduce((least, number) => (number < least ? number : least));
    },
  };
}
