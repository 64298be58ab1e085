import { type RecentEvent, type RecentEventPage, RecentEventsQuery } from "#contract/dashboard/events.ts";
import { decodeEventCursor, encodeEventCursor } from "#contract/event-cursor.ts";
import { timestamp } from "#contract/timestamp.ts";
import { changedTexts, type EventPage, eventId, type PlantEvent } from "#core/event.ts";
import type { InTurns } from "./in-turns.ts";
import { newestEvents } from "./newest-events.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";
import { personEvents } from "./person-events.ts";

/** The changes of the account's plants, newest first. Programs read the feed in its own order at /v1/events. */
export async function* eventPage(
  { reads }: PageParts,
  { account, search, newest = 0n }: PageRequest,
): InTurns<RecentEventPage> {
  const { cursor, type, person, limit } = readQuery(search, RecentEventsQuery);
  const until = cursor === undefined ? newest : decodeEventCursor(cursor);
  const types = type === undefined ? undefined : new Set([type]);
  const { events, next } =
    person === undefined
      ? await newestEvents(reads.events, account, { until, types, limit })
      : untilOf(yield* personEvents(reads.events, account, { before: until + 1n, types, limit, person }));
  const doers = await reads.events.doers(account, events);
  return {
    data: events.map((event, at) => ({ ...recentEvent(event), by: doers[at] ?? null })),
    next_cursor: next === undefined ? null : encodeEventCursor(next),
    live_cursor: encodeEventCursor(until),
  };
}

function untilOf({ events, next, more }: EventPage) {
  return { events, next: more ? next - 1n : undefined };
}

function recentEvent({ number, type, at, plant, previous }: PlantEvent): Omit<RecentEvent, "by"> {
  return {
    id: eventId(number),
    type,
    timestamp: timestamp(at),
    plant_id: String(plant.id),
    name: cut(plant.name),
    tag: plant.tag === undefined ? null : cut(plant.tag),
    ...(previous && { previous: changedTexts(previous, plant, cut) }),
  };
}

function cut(text: string): string {
  return text.slice(0, 1000).toWellFormed();
}
