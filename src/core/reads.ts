import type { Account } from "./account.ts";
import type { AuditQuery, AuditRecord } from "./audit.ts";
import type { EventPage, EventQuery } from "./event.ts";
import type { AccountNumber, Plant } from "./plant.ts";
import { plantFilter } from "./plant-filter.ts";
import type { PlantChoice, PlantPage, PlantQuery } from "./records.ts";
import type { LoggedRequest, RequestLogQuery } from "./request-log.ts";
import type { Token } from "./token.ts";
import type { LatencySlice, UsageQuery, UsageSlice, VersionUse } from "./usage.ts";

/**
 * The reading of stored data that may take as long as an account is large. The thread that serves never does it: threads
 * have a `Reads` of their own, and so have commands. It rejects with "unavailable" when storage cannot give it.
 */
export interface Reads {
  readonly plants: PlantReads;
  readonly events: EventReads;
  readonly usage: UsageReads;
  readonly audit: LogReads<AuditQuery, AuditRecord>;
  readonly requests: LogReads<RequestLogQuery, LoggedRequest> & {
    oldest(account: AccountNumber): Promise<number | undefined>;
  };
  readonly tokens: {
    /** The account's tokens without those of the dashboard, newest first. */
    list(account: AccountNumber): Promise<Token[]>;
  };
  readonly accounts: { list(): Promise<Account[]> };
  close(): Promise<void>;
}

export interface PlantReads {
  find(account: AccountNumber, id: bigint): Promise<Plant | undefined>;
  /** Read from a stored counter. */
  count(account: AccountNumber): Promise<number>;
  /** The greatest id among the account's plants; undefined if it has none. */
  greatestId(account: AccountNumber): Promise<bigint | undefined>;
  /** One page, which reads a bounded number of plants: it may be empty and have a next one. */
  list(account: AccountNumber, query: PlantQuery): Promise<PlantPage>;
  /** Every plant of the account in id order, in pages, from one snapshot and in constant memory. */
  export(account: AccountNumber): AsyncGenerator<readonly Plant[], void>;
  /**
   * Up to 200 tags, the most frequent first: all that are in use among up to 10,000 plants. In a larger account 10,000
   * plants are sampled, from the oldest to the newest.
   */
  suggestTags(account: AccountNumber): Promise<readonly string[]>;
}

export interface EventReads {
  /** Throws "cursor-expired" if events after `after` are no longer kept. */
  read(account: AccountNumber, query: EventQuery): Promise<EventPage>;
  /**
   * The `after` of a range that ends with the number `until` and holds at most `rows` plants, and as many changes and
   * removals of the account.
   */
  stepBack(account: AccountNumber, until: bigint, rows: number): Promise<bigint>;
  /** The `after` that reads every event that is still stored. */
  oldest(): Promise<bigint>;
}

/** A position of the feed for a reader of some types of events. */
export type FeedPosition = Pick<EventQuery, "after" | "types">;

export interface UsageReads {
  /** Response times of all versions together, oldest first. */
  readLatencies(account: AccountNumber, query: UsageQuery): Promise<LatencySlice[]>;
  /** Oldest first. Intervals without a count are left out. */
  read(account: AccountNumber, query: UsageQuery): Promise<UsageSlice[]>;
  /**
   * The requests to those versions since `from`, by token, the most used first. Requests of the dashboard are left out.
   */
  readVersionUse(account: AccountNumber, versions: readonly string[], from: number): Promise<VersionUse[]>;
}

/** A log, newest first. A slice reads a bounded number of entries. */
export interface LogReads<Query, Entry> {
  list(account: AccountNumber, query: Query): Promise<LogSlice<Entry>>;
}

export interface LogSlice<Entry> {
  readonly found: readonly Entry[];
  /** The `before` of the next slice; undefined at the end. */
  readonly next: string | undefined;
}

/** A read that yields where others may take their turn, and returns its result. */
export type InTurns<Result> = AsyncGenerator<undefined, Result, undefined>;

const LOOKING_MS_MAX = 1000;

/**
 * Reads pages until one holds a plant, the list ends, or a second is over; so just after a large import, which the index
 * has not followed yet, a search finds what is there.
 */
export async function* firstFound(
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
export async function* filledPage<Query extends { readonly before?: string; readonly limit: number }, Entry>(
  log: LogReads<Query, Entry>,
  account: AccountNumber,
  query: Query,
  msMax = LOOKING_MS_MAX,
): InTurns<LogSlice<Entry>> {
  const end = performance.now() + msMax;
  const found: Entry[] = [];
  for (let before = query.before; ; ) {
    const slice = await log.list(account, { ...query, before, limit: query.limit - found.length });
    found.push(...slice.found);
    if (slice.next === undefined || found.length === query.limit || performance.now() >= end) {
      return { found, next: slice.next };
    }
    before = slice.next;
    yield;
  }
}

/** The result of what nobody else waits for. */
export async function atOnce<Result>(inTurns: InTurns<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await inTurns.next();
    if (done) return value;
  }
}
