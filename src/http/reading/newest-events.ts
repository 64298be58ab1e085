import type { EventQuery, PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";

/** The steps back, the rows of the longest one, and the events that are read at once. */
const MOST = { steps: 20, rows: 2000, events: 1000 } as const;

export interface NewestQuery extends Pick<EventQuery, "types"> {
  /** The newest event to read. */
  readonly until: bigint;
  /** The approximate number of events wanted, from 1 to 200. */
  readonly limit: number;
}

export interface NewestEvents {
  /** Newest first. There may be more or fewer than asked for, also on a page with a next one. */
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
  for (let steps = 0; steps < MOST.steps && found.length < limit && end > oldest; steps++) {
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
  return { events: found, next: end > oldest ? end : undefined };
}
