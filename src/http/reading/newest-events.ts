import type { EventQuery, PlantEvent } from "#core/event.ts";
import { type AccountNumber, textUnits } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";

/** The steps back, the rows of the longest one, the events that are read at once, and about as much text on a page. */
const MOST = { steps: 20, rows: 2000, events: 1000, textUnits: 4 * 1024 * 1024 } as const;

export interface NewestQuery extends Pick<EventQuery, "types"> {
  /** The newest event to read. */
  readonly until: bigint;
  /** The most events on the page, from 1 to 1000. */
  readonly limit: number;
}

export interface NewestEvents {
  /** Newest first. There may be fewer than asked for, also on a page with a next one. */
  readonly events: readonly PlantEvent[];
  /** The `until` of the next page; undefined after the oldest stored event. */
  readonly next: bigint | undefined;
}

/** The feed for people, who want to see the last events first: ranges of it from its end, each reversed. */
export async function newestEvents(
  events: EventReads,
  account: AccountNumber,
  { until, limit, types }: NewestQuery,
): Promise<NewestEvents> {
  const found: PlantEvent[] = [];
  const oldest = await events.oldest();
  let end = until;
  let rows = limit;
  const isFull = () => found.length >= limit || unitsOf(found) >= MOST.textUnits;
  for (let steps = 0; steps < MOST.steps && !isFull() && end > oldest; steps++) {
    const after = await events.afterOfLast(account, end, rows);
    const page = await events.read(account, { after, until: end, limit: MOST.events, types });
    if (page.more && rows > 1) {
      // Long texts end a page early, and the events cut off here would be the newest.
      rows = Math.ceil(rows / 4);
      continue;
    }
    if (page.more) {
      const rest = await events.read(account, { after: page.next, until: end, limit: MOST.events, types });
      found.push(...rest.events.toReversed());
    }
    found.push(...page.events.toReversed());
    end = after;
    if (page.events.length === 0) rows = Math.min(rows * 2, MOST.rows);
  }
  const last = found.length > limit ? found[limit - 1] : undefined;
  if (last) return { events: found.slice(0, limit), next: last.number - 1n };
  return { events: found, next: end > oldest ? end : undefined };
}

function unitsOf(events: readonly PlantEvent[]): number {
  return events.reduce(
    (units, { plant, previous }) => units + textUnits(plant) + (previous ? textUnits(previous) : 0),
    0,
  );
}
