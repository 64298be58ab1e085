import { Failure } from "./failure.ts";
import type { AccountNumber, Plant, PlantPatch } from "./plant.ts";
import { MEMBER_NAMES, type PlantMember, type PlantTexts } from "./plant-members.ts";

export const EVENT_TYPES = ["plant.created", "plant.changed", "plant.removed"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export function isEventType(name: string): name is EventType {
  return EVENT_TYPES.some((type) => type === name);
}

/** Something that happened to a plant. Times are milliseconds since 1970-01-01T00:00:00Z. */
export interface PlantEvent {
  /**
   * Orders the events of an account by commit. Unique in the store, since plants and events draw from the same
   * sequence.
   */
  readonly number: bigint;
  readonly type: EventType;
  readonly at: number;
  /** The plant after a create or a change, or before a removal. */
  readonly plant: EventPlant;
  /** Its texts before a change. */
  readonly previous: PlantTexts | undefined;
}

export type EventPlant = PlantTexts & Pick<Plant, "id" | "createdAt" | "updatedAt">;

/** The texts before a change that differ from those after it; null for none. Each is passed through `cut`. */
export function changedTexts(before: PlantTexts, after: PlantTexts, cut = (text: string) => text): PlantPatch {
  const changed: { -readonly [Member in PlantMember]?: string | null } = {};
  for (const member of MEMBER_NAMES) {
    const text = before[member];
    if (text !== after[member]) changed[member] = text === undefined ? null : cut(text);
  }
  return changed as PlantPatch;
}

const ID_PREFIX = "evt_";
const ID = /^evt_[0-9a-z]{13}$/;

/** `evt_` and the number in 13 digits of base 36, which hold 2^63, so that ids sort as the events happened. */
export function eventId(number: bigint): string {
  return ID_PREFIX + number.toString(36).padStart(13, "0");
}

/** The number of an event's id; undefined for anything else. */
export function eventNumber(id: string): bigint | undefined {
  if (!ID.test(id)) return undefined;
  let number = 0n;
  for (const digit of id.slice(ID_PREFIX.length)) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  return number < 2n ** 63n ? number : undefined;
}

/** The id of a test event, which is not in the feed. */
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
  /** From 1 to 1000. */
  readonly limit: number;
  /** Undefined means all types. */
  readonly types: ReadonlySet<EventType> | undefined;
  /** Only events of the plants that have or had this id. */
  readonly plant?: bigint | undefined;
  /** Read no further than this number, which the EventRecords gave. */
  readonly until: bigint;
}

/** Reads back from the newest event. */
export interface HistoryQuery extends Omit<EventQuery, "after" | "until"> {
  /** Only events before this number. */
  readonly before: bigint;
  readonly plant: bigint;
}

/** A request for a page of the feed. `cursor` is undefined for the oldest event that is kept. */
export interface EventRequest {
  readonly cursor: bigint | "latest" | undefined;
  readonly limit: number;
  readonly types: ReadonlySet<EventType> | undefined;
  readonly plant: bigint | undefined;
  /** From the newest event back; `cursor` is then a number before which it goes on. */
  readonly newestFirst: boolean;
  /** Only what the person with this id did, for a page of the dashboard. */
  readonly doneBy: string | undefined;
  readonly waitSeconds: number;
}

export interface EventPage {
  readonly events: readonly PlantEvent[];
  /** The `after` of the next page. If `more` is false, everything up to it was read. */
  readonly next: bigint;
  /** True if more events may be readable at once. A page may be short, or empty, and still have more. */
  readonly more: boolean;
}

/**
 * The feed of changes, read by the EventReads of `./reads.ts`. A create is its own event (the plant at revision 1, in the
 * order of its number); a change or a removal stores an event row in its transaction. A reader that continues from `next`
 * misses nothing and sees nothing twice, however many nodes write.
 */
export interface EventRecords {
  find(account: AccountNumber, number: bigint): Promise<PlantEvent | undefined>;
  /** The `after` that reads every event that is still stored. */
  oldest(): Promise<bigint>;
  /**
   * The `after` that reads only events committed from now on. If running transactions hold it back, it resolves after
   * `waitMsMax` with an earlier one.
   */
  latest(waitMsMax?: number): Promise<bigint>;
  /** The last number that `latest` gave, to be read up to without a wait; undefined where `latest` never waits. */
  readonly settled: bigint | undefined;
  /**
   * Like `latest`, but up to a second old where that saves a query. It is never later than a snapshot that is taken
   * afterwards.
   */
  recent(): Promise<bigint>;
  /** The accounts among these that may have events between the two numbers. */
  accountsWithEvents(accounts: readonly AccountNumber[], after: bigint, until: bigint): Promise<AccountNumber[]>;
  /** Calls `wake` with the last readable number whenever it may have grown. The returned function stops this. */
  listen(wake: (until: bigint) => void): () => void;
  /**
   * Records the current number, and deletes, in slices, the events older than the oldest record within `keptMs`.
   * Resolves with true while there is more to delete.
   */
  expire(now: number, keptMs: number): Promise<boolean>;
  /**
   * Turns the feed on or off at the start. Changes made while it was off are not stored, so turning it on starts the
   * feed anew.
   */
  turn(on: boolean): Promise<void>;
}
