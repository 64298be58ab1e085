import type { EventPage } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import { plantFilter } from "#core/plant-filter.ts";
import type { LogReads, LogSlice, PlantReads } from "#core/reads.ts";
import type { PlantChoice, PlantPage, PlantQuery } from "#core/records.ts";

/** A read that yields where others may take their turn, and returns its result. */
export type InTurns<Result> = AsyncGenerator<undefined, Result, undefined>;

const LOOKING_MS_MAX = 1000;

/**
 * Reads pages until one holds a plant, the list ends, or a second is over; so just after a large import, which the index
 * has not followed yet, a search finds what is there.
 */
export async function* firstNonEmptyPage(
  plants: Pick<PlantReads, "list">,
  account: AccountNumber,
  query: PlantQuery,
): InTurns<PlantPage> {
  const end = performance.now() + LOOKING_MS_MAX;
  for (let after = query.after; ; ) {
    const page = await plants.list(account, { ...query, after });
    if (page.plants.length > 0 || page.next === undefined || performance.now() >= end) return page;
    after = page.next;
    yield;
  }
}

/** Reads pages of events back until one holds any, there are no older ones, or a second is over. */
export async function* nonEmptyEvents(
  before: bigint,
  read: (before: bigint) => Promise<EventPage>,
): InTurns<EventPage> {
  const end = performance.now() + LOOKING_MS_MAX;
  for (let next = before; ; yield) {
    const page = await read(next);
    if (page.events.length > 0 || !page.more || performance.now() >= end) return page;
    next = page.next;
  }
}

/** Counting stops at this many matches. */
const MATCHES_COUNTED_MAX = 100_000;

interface MatchCount {
  readonly count: number;
  /** True if counting stopped before the end, so that at least `count` plants match. */
  readonly atLeast: boolean;
}

/** Counts the plants that pass the filter, as far as that is cheap: among 400,000 plants at most, 20,000 a slice. */
export async function* countMatches(
  plants: Pick<PlantReads, "count" | "list">,
  account: AccountNumber,
  choice: PlantChoice,
): InTurns<MatchCount> {
  if (plantFilter(choice).open) return { count: await plants.count(account), atLeast: false };
  let count = 0;
  let after: bigint | undefined;
  // A count that takes longer is of no use to the reader of a list.
  const end = performance.now() + 3000;
  const query = { order: "-created_at", limit: 20_000, tag: choice.tag, q: choice.q } as const;
  for (let slices = 0; slices < 20 && performance.now() < end; slices++) {
    const { plants: found, next } = await plants.list(account, { ...query, after });
    count += found.length;
    if (count > MATCHES_COUNTED_MAX) return { count: MATCHES_COUNTED_MAX, atLeast: true };
    if (next === undefined) return { count, atLeast: false };
    after = next;
    yield;
  }
  return { count, atLeast: true };
}

/** Reads slices of a log until as many entries are found as were asked for, the log ends, or the time is over. */
export async function* fullPage<Query extends { readonly before?: string; readonly limit: number }, Entry, Key>(
  log: LogReads<Query, Entry, Key>,
  key: Key,
  query: Query,
  msMax = LOOKING_MS_MAX,
): InTurns<LogSlice<Entry>> {
  const end = performance.now() + msMax;
  const found: Entry[] = [];
  for (let before = query.before; ; ) {
    const slice = await log.list(key, { ...query, before, limit: query.limit - found.length });
    found.push(...slice.found);
    if (slice.next === undefined || found.length === query.limit || performance.now() >= end) {
      return { found, next: slice.next };
    }
    before = slice.next;
    yield;
  }
}

/** The result of what nobody else waits for. */
export async function toEnd<Result>(inTurns: InTurns<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await inTurns.next();
    if (done) return value;
  }
}
