import type { EventPage, HistoryQuery, PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";
import type { InTurns } from "./in-turns.ts";
import { newestEvents } from "./newest-events.ts";

/** A page reads so many slices of events at most, and no longer than so many milliseconds: it may be short. */
const MOST = { slices: 20, events: 1000, ms: 1000 } as const;

interface PersonQuery extends Omit<HistoryQuery, "plant"> {
  /** The id of the person. */
  readonly person: string;
}

/** One person's events, newest first. A page's `next` is the `before` of the following page. */
export async function* personEvents(
  events: EventReads,
  account: AccountNumber,
  { before, limit, types, person }: PersonQuery,
): InTurns<EventPage> {
  const end = performance.now() + MOST.ms;
  const found: PlantEvent[] = [];
  let next = before;
  for (let slice = 0; slice < MOST.slices && (slice === 0 || performance.now() < end); slice++) {
    const read = await newestEvents(events, account, { until: next - 1n, limit: MOST.events, types });
    const doers = await events.doers(account, read.events);
    found.push(...read.events.filter((_, at) => doers[at]?.kind === "person" && doers[at].id === person));
    const last = found[limit - 1];
    if (last) return { events: found.slice(0, limit), next: last.number, more: true };
    if (read.next === undefined) return { events: found, next: 0n, more: false };
    next = read.next + 1n;
    yield;
  }
  return { events: found, next, more: true };
}
