import type { AuditLogKey, AuditQuery, AuditRecord } from "./audit.ts";
import type { Actor } from "./caller.ts";
import type { EventPage, EventQuery, EventRecords, HistoryQuery, PlantEvent } from "./event.ts";
import type { PlantImport } from "./import.ts";
import type { ListedPerson } from "./person.ts";
import type { AccountNumber, Plant } from "./plant.ts";
import type { PlantPage, PlantQuery } from "./records.ts";
import type { LoggedRequest, RequestLogQuery } from "./request-log.ts";
import type { OwnedStore, RemovedStore } from "./store.ts";
import type { ListedToken } from "./token.ts";
import type { LatencySlice, UsageQuery, UsageSlice } from "./usage.ts";
import type { DeliveryPage, DeliveryQuery } from "./webhook.ts";

/** The readings that may run at once. On PostgreSQL each holds a connection. */
export const READINGS_AT_ONCE = { each: 2, all: 4 } as const;
/** The exports that may run at once. Each holds a snapshot, and on PostgreSQL a connection, until its reader has finished. */
export const EXPORTS_AT_ONCE = { each: 8, all: 32 } as const;

/**
 * The reading of stored data that may take as long as an account is large. The thread that serves never does it: threads
 * have a `Reads` of their own, and so have commands. It rejects with "unavailable" when storage cannot give it.
 */
export interface Reads {
  readonly plants: PlantReads;
  readonly events: EventReads;
  readonly imports: ImportReads;
  readonly usage: UsageReads;
  readonly audit: LogReads<AuditQuery, AuditRecord, AuditLogKey>;
  readonly requests: LogReads<RequestLogQuery, LoggedRequest> & {
    oldest(account: AccountNumber): Promise<number | undefined>;
  };
  readonly tokens: {
    /** The account's tokens, newest first. */
    list(account: AccountNumber): Promise<ListedToken[]>;
  };
  readonly stores: { list(): Promise<OwnedStore[]>; removed(): Promise<RemovedStore[]> };
  /** Everybody who has an account, with the number of their stores, in the order of joining. */
  readonly people: { list(): Promise<ListedPerson[]> };
  readonly webhooks: {
    /** The log of an endpoint, newest first. */
    deliveries(endpoint: string, query: DeliveryQuery): Promise<DeliveryPage>;
  };
  close(): Promise<void>;
}

export interface PlantReads {
  find(account: AccountNumber, id: bigint): Promise<Plant | undefined>;
  /**
   * Finds the plants with up to 100 ids, in that order and from one snapshot; missing ones are left out. Rejects with
   * "address-malformed" if they hold more text than a page may.
   */
  findEach(account: AccountNumber, ids: readonly bigint[]): Promise<Plant[]>;
  /** Read from a stored counter. */
  count(account: AccountNumber): Promise<number>;
  /** The greatest id among the account's plants; undefined if it has none. */
  greatestId(account: AccountNumber): Promise<bigint | undefined>;
  /** Reads one page. Since it looks at a bounded number of plants, it may be empty and still have a next page. */
  list(account: AccountNumber, query: PlantQuery): Promise<PlantPage>;
  /** Every plant of the account in the order of creation, in pages, from one snapshot and in constant memory. */
  export(account: AccountNumber): AsyncGenerator<readonly Plant[], void>;
  tagCounts(account: AccountNumber): Promise<TagCounts>;
}

/** The number of plants with each tag of an account. */
export interface TagCounts {
  /** Up to 1,000 tags, the most frequent first. */
  readonly tags: readonly { readonly tag: string; readonly count: number }[];
  /** Plants with a tag that is not among these, or is too long to choose from a list. */
  readonly other: number;
  readonly untagged: number;
  /** True if the search index is far behind, and the counts do not include all plants. */
  readonly about: boolean;
}

export interface EventReads {
  /** Throws "cursor-expired" if events after `after` are no longer kept. */
  read(account: AccountNumber, query: EventQuery): Promise<EventPage>;
  /** The events of one plant, newest first. The `next` of the page is the `before` of the next one. */
  history(account: AccountNumber, query: HistoryQuery): Promise<EventPage>;
  /**
   * The last removals of ids that no plant has now, newest first. The `next` of the page is the `before` of the next one.
   */
  removed(account: AccountNumber, query: Pick<HistoryQuery, "before" | "limit">): Promise<EventPage>;
  /** The actor of each of up to 1,000 events, in their order. */
  doers(
    account: AccountNumber,
    events: readonly Pick<PlantEvent, "number" | "type">[],
  ): Promise<(Actor<"event"> | undefined)[]>;
  /**
   * The actors who created the account's plants of up to 100 ids, by id. A plant is left out whose created event is no longer
   * kept, or whose id another plant had before.
   */
  creators(account: AccountNumber, ids: readonly bigint[]): Promise<Map<bigint, Actor<"event">>>;
  readonly find: EventRecords["find"];
  /**
   * The `after` of a range that ends with the number `until` and holds at most `rows` plants, and as many changes and
   * removals of the account.
   */
  afterOfLast(account: AccountNumber, until: bigint, rows: number): Promise<bigint>;
  /** True if all events with these numbers are still stored. */
  has(account: AccountNumber, numbers: readonly bigint[]): Promise<boolean>;
  /** The `after` that reads every event that is still stored. */
  oldest(): Promise<bigint>;
}

export interface ImportReads {
  /** The newest 100, newest first. */
  list(account: AccountNumber): Promise<PlantImport[]>;
  find(account: AccountNumber, id: string): Promise<PlantImport | undefined>;
  /**
   * Plants that the import wrote and that are still there, in the order of its first writes: those of up to 100 writes after
   * that position. `next` is the position of the next page.
   */
  plants(account: AccountNumber, id: string, after: bigint): Promise<PlantPage>;
}

/** A position of the feed for a reader of some types of events. */
export type FeedPosition = Pick<EventQuery, "after" | "types">;

export interface UsageReads {
  /** Response times of all versions together, oldest first. */
  readLatencies(account: AccountNumber, query: UsageQuery): Promise<LatencySlice[]>;
  /** Oldest first. Intervals without a count are left out. */
  read(account: AccountNumber, query: UsageQuery): Promise<UsageSlice[]>;
}

/** A log, newest first. A slice reads a bounded number of entries. */
export interface LogReads<Query, Entry, Key = AccountNumber> {
  list(log: Key, query: Query): Promise<LogSlice<Entry>>;
}

export interface LogSlice<Entry> {
  readonly found: readonly Entry[];
  /** The `before` of the next slice; undefined at the end. */
  readonly next: string | undefined;
}
