import { eventsExpired, type PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventStep, ReadStep } from "../event-reader.ts";
import { DERIVED, type EventRow, eventFromRow, kindMask, SCAN_STEP_ROWS, textBytes, WRITTEN } from "../event-row.ts";
import { asFailure } from "./errors.ts";
import { exact, type ReadConnection } from "./read-connection.ts";

const IN_RANGE = "account = ?1 AND number > ?2 AND number <= ?3";

type Range = [account: AccountNumber, after: bigint, until: bigint];

/**
 * Only one connection writes at a time, so numbers are in the order of the commits, and everything committed may be
 * read.
 */
export function stepReader(database: ReadConnection): ReadStep {
  const page = exact<EventRow, [...Range, number, number]>(
    database,
    `SELECT ${DERIVED} FROM plants WHERE ${IN_RANGE} AND revision = 1 AND ?4 & 1
     UNION ALL SELECT ${WRITTEN} FROM plant_events WHERE ${IN_RANGE} AND (?4 >> kind) & 1
     ORDER BY number LIMIT ?5`,
  );
  const ends = ["plants", "plant_events"].map((table) =>
    exact<{ number: bigint }, Range>(
      database,
      `SELECT number FROM ${table} WHERE ${IN_RANGE} ORDER BY number LIMIT 1 OFFSET ${SCAN_STEP_ROWS - 1}`,
    ),
  );
  const expired = exact<{ number: bigint }, []>(database, "SELECT number FROM number_marks WHERE at = 0");
  return async (account, { after, until, limit, types }, textBytesMax) =>
    asFailure((): EventStep => {
      if (after < (expired.get()?.number ?? 0n)) throw eventsExpired();
      if (until <= after) return { events: [], next: after, ends: false };
      const reached = ends.map((end) => end.get(account, after, until)?.number ?? until);
      const next = reached.reduce((least, number) => (number < least ? number : least));
      const events: PlantEvent[] = [];
      let bytes = 0;
      for (const row of page.iterate(account, after, next, kindMask(types), limit)) {
        const event = eventFromRow(row);
        bytes += textBytes(event);
        if (events.push(event) === limit || bytes >= textBytesMax) return { events, next: event.number, ends: true };
      }
      return { events, next, ends: false };
    });
}
