import { Failure } from "./failure.ts";
import type { AccountNumber, Plant } from "./plant.ts";

export const EVENT_TYPES = ["plant.created", "plant.changed", "plant.removed"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export function isEventType(name: string): name is EventType {
  return EVENT_TYPES.some((type) => type === name);
}

/** Something that happened to a plant. Times are milliseconds since 1970-01-01T00:00:00Z. */
export interface PlantEvent {
  /** Orders the events of an account by commit; unique in the store, as plants draw from the same numbers. */
  readonly number: bigint;
  readonly type: EventType;
  readonly at: number;
  /** The plant after a create or a change; before a removal. */
  readonly plant: EventPlant;
  /** The name and tag before a change. */
  readonly previous: Pick<Plant, "name" | "tag"> | undefined;
}

export type EventPlant = Pick<Plant, "id" | "name" | "tag" | "createdAt" | "updatedAt">;

const ID_PREFIX = "evt_";
/** 36^13 is more than 2^63. */
const ID_DIGITS = 13;
const ID = /^evt_[0-9a-z]{13}$/;

/** `evt_` and the number in 13 digits of base 36, so that ids sort as the events happened. */
export function eventId(number: bigint): string {
  return ID_PREFIX + number.toString(36).padStart(ID_DIGITS, "0");
}

/** The number of an event's id; undefined for anything else. */
export function eventNumber(id: string): bigint | undefined {
  if (!ID.test(id)) return undefined;
  let number = 0n;
  for (const digit of id.slice(ID_PREFIX.length)) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  return number < 2n ** 63n ? number : undefined;
}

/** The id of a made-up event. */
export function newTestEventId(random: string): string {
  return `${ID_PREFIX}test_${random.replaceAll("-", "")}`;
}

export function eventsExpired(): Failure {
  return new Failure(
    "cursor-expired",
    "The cursor is older than the events that are kept: make an export and go on from its Events-Cursor",
  );
}

export interface EventQuery {
  /** Only events after this number. */
  readonly after: bigint;
  /** 1 to 1000. */
  readonly limit: number;
  /** Undefined for all types. */
  readonly types: ReadonlySet<EventType> | undefined;
  /** Read no further than this number, which `listen` told; by default up to everything that is committed. */
  readonly until?: bigint;
}

/** A request for a page of the feed. `cursor` is undefined for the oldest event that is kept. */
export interface EventRequest {
  readonly cursor: bigint | "latest" | undefined;
  readonly limit: number;
  readonly types: ReadonlySet<EventType> | undefined;
  readonly waitSeconds: number;
}

export interface EventPage {
  readonly events: readonly PlantEvent[];
  /** The `after` of the next page. With `more` false nothing else could be read up to it. */
  readonly next: bigint;
  /** True if there may be more at once. A page may be short, or empty, and still have more. */
  readonly more: boolean;
}

/**
 * The feed of changes. A create is its own event (the plant at revision 1, in the order of its number); a change or a
 * removal keeps a row of its own in its transaction. A reader that goes on from `next` misses nothing and sees nothing
 * twice, however many nodes write.
 */
export interface EventStore {
  /** Throws "cursor-expired" if events after `after` are no longer kept. */
  read(account: AccountNumber, query: EventQuery): Promise<EventPage>;
  find(account: AccountNumber, number: bigint): Promise<PlantEvent | undefined>;
  /**
   * The `after` of a stretch that ends with the number `until`, with at most `rows` plants and as many changes and
   * removals of the account in it.
   */
  stepBack(account: AccountNumber, until: bigint, rows: number): Promise<bigint>;
  /** The `after` that reads everything that is still kept. */
  oldest(): Promise<bigint>;
  /** The `after` that reads only events that are committed from now on. */
  latest(): Promise<bigint>;
  /** The same, but up to a second old where that saves a query: never after a snapshot that is taken next. */
  recent(): Promise<bigint>;
  /** Which of these accounts may have events between the two numbers. */
  touched(accounts: readonly AccountNumber[], after: bigint, until: bigint): Promise<AccountNumber[]>;
  /** Calls `wake` with the last number that may be read, each time that it may have grown, until what it returns is called. */
  listen(wake: (until: bigint) => void): () => void;
  /**
   * Notes how far the numbers are now, and forgets, in slices, events from before the oldest note within `keptMs`.
   * Resolves with true while there is more to forget.
   */
  expire(now: number, keptMs: number): Promise<boolean>;
  /** Called at the start. While the feed was off changes were not kept, so when it is on again it starts anew. */
  turn(on: boolean): Promise<void>;
}
