import { type RecentEventPage, RecentEventsQuery } from "#contract/dashboard/events.ts";
import { decodeEventCursor, encodeEventCursor } from "#contract/event-cursor.ts";
import { timestamp } from "#contract/timestamp.ts";
import { eventId } from "#core/event.ts";
import { newestEvents } from "./newest-events.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";

/** The changes of the account's plants, newest first. Programs read the feed in its own order at /v1/events. */
export async function eventPage({ reads }: PageParts, { account, search, newest = 0n }: PageRequest) {
  const { cursor, type, limit } = readQuery(search, RecentEventsQuery);
  const until = cursor === undefined ? newest : decodeEventCursor(cursor);
  const types = type === undefined ? undefined : new Set([type]);
  const { events, next } = await newestEvents(reads.events, account, { until, types, limit });
  return {
    data: events.map(({ number, type, at, plant }) => ({
      id: eventId(number),
      type,
      timestamp: timestamp(at),
      plant_id: String(plant.id),
      name: plant.name.slice(0, 1000).toWellFormed(),
    })),
    next_cursor: next === undefined ? null : encodeEventCursor(next),
    live_cursor: encodeEventCursor(until),
  } satisfies RecentEventPage;
}
