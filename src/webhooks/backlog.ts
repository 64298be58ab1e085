import type { EventPage, EventQuery, PlantEvent } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { Replay, Retry } from "#storage/webhook-outcomes.ts";
import type { DeliveryParts, HeldEndpoint } from "./delivery-parts.ts";
import { mustWait } from "./endpoint-health.ts";
import type { Ledger } from "./ledger.ts";

/** The most that is read at once. Events of a replay wait like retries, at most `replayedWaiting` at a time. */
const MOST = { events: 200, retries: 64, replayed: 100, replayedWaiting: 400 } as const;
export const NEVER = Number.POSITIVE_INFINITY;

/** The next of the feed: an event, or a notice of all events from there on. */
type FeedItem =
  | { readonly kind: "event"; readonly after: bigint; readonly event: PlantEvent }
  | { readonly kind: "notice"; readonly after: bigint };
/** Something to send; a retry has its row as it was read, and its event is read when it is sent. */
export type Item = FeedItem | { readonly kind: "retry"; readonly row: Retry };

/**
 * The items that an endpoint is still to be sent, a batch at a time, and those that it is being sent. One that was read is
 * waiting until it is taken, and is being sent until it is ended or put back.
 */
export class Backlog {
  /** There may be events up to this number. */
  until: bigint;
  /** The feed was read up to this number. */
  #readTo: bigint;
  /** Read and not begun, the oldest first. */
  #feed: FeedItem[] = [];
  #retries: Retry[] = [];
  readonly #sending = new Set<Item>();
  /** The rows as they were last read: how many there were at most, and when some have to be read again. */
  #rows = { count: 0, dueAt: 0 };
  /** Oldest first, with their positions in memory. */
  #replays: readonly Replay[] = [];

  constructor(
    public endpoint: HeldEndpoint,
    private readonly parts: Pick<DeliveryParts, "events" | "progress" | "now">,
    private readonly ledger: Ledger,
  ) {
    this.until = this.#readTo = endpoint.position;
  }

  /** Holds back the first event that was not attempted. */
  get position(): bigint {
    let position = this.#feed[0]?.after ?? this.#readTo;
    for (const item of this.#sending) if (item.kind !== "retry" && item.after < position) position = item.after;
    return position;
  }

  get sending(): number {
    return this.#sending.size;
  }

  /** The events that wait for another attempt, or more than these while some outcomes are not on disk. */
  get waiting(): number {
    return this.#rows.count + this.ledger.waiting;
  }

  /** The number of items that were read and may be sent. */
  ready(isPaused: boolean): number {
    return this.#retries.length + (this.#maySendFeed(isPaused) ? this.#feed.length : 0);
  }

  shift(isPaused: boolean): Item | undefined {
    const row = this.#retries.shift();
    const item: Item | undefined = row
      ? { kind: "retry", row }
      : this.#maySendFeed(isPaused)
        ? this.#feed.shift()
        : undefined;
    if (item) this.#sending.add(item);
    if (item?.kind === "notice") this.#readTo = this.until;
    return item;
  }

  end(item: Item): void {
    this.#sending.delete(item);
  }

  putBack(item: Item): void {
    this.#sending.delete(item);
    if (item.kind === "retry") this.rowsChanged();
    else this.#feed = [item, ...this.#feed].sort((a, b) => (a.after < b.after ? -1 : 1));
  }

  /** There may be so many rows more. Those that were read and not begun are read again too. */
  rowsChanged(more = 0): void {
    this.#rows = { count: this.#rows.count + more, dueAt: 0 };
    this.#retries = [];
  }

  hasToRead(isPaused: boolean): boolean {
    return this.#readsRows || this.#readsFeed(isPaused) || this.#nextReplay !== undefined;
  }

  /** The time at which rows have to be read; NEVER if there is none. */
  get readsAt(): number {
    return this.#retries.length > 0 ? NEVER : this.#rows.dueAt;
  }

  async read(isPaused: boolean): Promise<void> {
    try {
      if (this.#readsRows) await this.#readRows(isPaused);
      if (this.#readsFeed(isPaused)) await this.#readFeed();
      const replay = this.#nextReplay;
      if (replay) await this.#readReplay(replay);
    } catch (error) {
      this.rowsChanged();
      throw error;
    }
  }

  get #readsRows(): boolean {
    return this.readsAt !== NEVER && !mustWait(this.readsAt, this.parts.now());
  }

  /** A notice that is under way may fail, and is then of all that has come since. */
  #readsFeed(isPaused: boolean): boolean {
    const isFree = this.endpoint.delivery === "each" || this.#sending.size === 0;
    return this.#feed.length === 0 && this.#readTo < this.until && this.#maySendFeed(isPaused) && isFree;
  }

  get #nextReplay(): Replay | undefined {
    if (this.waiting >= MOST.replayedWaiting) return undefined;
    return this.#replays.find(({ position, until }) => position < until);
  }

  /** A paused endpoint is sent what is new only if it has no failed event to try with. */
  #maySendFeed(isPaused: boolean): boolean {
    return !isPaused || this.waiting === 0;
  }

  async #readRows(isPaused: boolean): Promise<void> {
    this.#rows.dueAt = NEVER;
    const read = await this.parts.progress.waiting(this.endpoint.id, isPaused ? 1 : MOST.retries, isPaused);
    // They have changed since.
    if (this.#rows.dueAt === 0) return;
    const now = this.parts.now();
    this.#retries = read.retries.filter((row) => (isPaused || !mustWait(row.nextAt, now)) && !this.#isTaken(row));
    const later = read.retries.find(({ nextAt }) => mustWait(nextAt, now))?.nextAt ?? NEVER;
    this.#rows = { count: read.count, dueAt: this.#retries.length > 0 ? 0 : later };
    const known = new Map(this.#replays.map((replay) => [replay.id, replay]));
    this.#replays = read.replays.map((row) => known.get(row.id) ?? row);
  }

  #isTaken({ number }: Retry): boolean {
    if (this.ledger.has(number)) return true;
    return [...this.#sending].some((item) => item.kind === "retry" && item.row.number === number);
  }

  async #readFeed(): Promise<void> {
    const { delivery, types } = this.endpoint;
    const after = this.#readTo;
    const limit = delivery === "notice" ? 1 : MOST.events;
    const { events, next } = await readFeed(this.parts, this.endpoint, { after, until: this.until, limit, types });
    const items = events.map((event): FeedItem => ({ kind: "event", after: event.number - 1n, event }));
    this.#feed.push(...(delivery === "notice" && items.length > 0 ? [{ kind: "notice", after } as const] : items));
    this.#readTo = next;
  }

  async #readReplay(replay: Replay): Promise<void> {
    const { id, position, until, types } = replay;
    const range = { after: position, until, limit: MOST.replayed, types };
    const page = await readFeed(this.parts, this.endpoint, range);
    const nextAt = this.parts.now();
    for (const { number } of page.events) this.ledger.replay({ number, attempts: 0, nextAt });
    const moved = { ...replay, position: page.more ? page.next : until };
    this.#replays = this.#replays.map((each) => (each.id === id ? moved : each));
    this.ledger.move(moved);
  }
}

/** Events of the endpoint's account. If the feed no longer reaches back to `after`, it is read from its oldest. */
export async function readFeed(
  { events }: Pick<DeliveryParts, "events">,
  { account }: Pick<HeldEndpoint, "account">,
  range: EventQuery,
): Promise<EventPage> {
  try {
    return await events.read(account, range);
  } catch (error) {
    if (!(error instanceof Failure && error.code === "cursor-expired")) throw error;
    const oldest = await events.oldest();
    return { events: [], next: oldest, more: oldest < range.until };
  }
}
