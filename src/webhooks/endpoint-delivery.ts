import { encodeEventCursor } from "#contract/event-cursor.ts";
import { NOTICE_TYPE } from "#contract/v1/event.ts";
import type { Shape } from "#contract/v1/shape.ts";
import { type EventPage, type EventQuery, type EventRecords, eventId, type PlantEvent } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";
import { DELIVERIES_OF_ENDPOINT } from "#load/limits.ts";
import type { StoredEndpoint } from "#storage/webhook-leases.ts";
import type { EndpointHealth, EndpointProgress, Replay, Retry } from "#storage/webhook-outcomes.ts";
import type { WebhookProgress } from "#storage/webhook-progress.ts";
import { type AttemptResult, type Outgoing, outgoing } from "./attempt.ts";
import type { AttemptTrace, DeliveryTraces } from "./delivery-traces.ts";
import { ATTEMPTS_MAX, afterFailure, afterSuccess, mustWait, retryDelayMs } from "./endpoint-health.ts";
import { Ledger } from "./ledger.ts";
import type { OpenedSecret } from "./sealed-secret.ts";

/** The most that is read at once. Events of a replay wait like retries, at most `replayedWaiting` at a time. */
const MOST = { events: 200, retries: 64, replayed: 100, replayedWaiting: 400 } as const;
const TIMERS_APART_MS = 100;
const NEVER = Number.POSITIVE_INFINITY;
const REST_MS = 1000;
const NOTICES_APART_MS = 1000;

/** An endpoint that this node delivers to, with its secrets opened. */
export interface HeldEndpoint
  extends Omit<StoredEndpoint, "secrets" | "sealedSecrets" | "description" | "createdAt" | "updatedAt"> {
  readonly secrets: readonly OpenedSecret[];
}

/** The services that delivery depends on. */
export interface DeliveryParts {
  readonly events: Pick<EventRecords, "find"> & Pick<EventReads, "read" | "oldest">;
  readonly progress: Pick<WebhookProgress, "waiting" | "lastSequence">;
  readonly traces: Pick<DeliveryTraces, "ofEvent" | "ofUnknown">;
  /** The functions that render events in a known version. */
  shapeOf(version: string): Pick<Shape, "webhookEventBody" | "noticeBody">;
  /** Runs the task when the account may have another request under way. Rejects if too many of its tasks wait already. */
  turn(account: AccountNumber, task: () => Promise<void>): Promise<void>;
  send(outgoing: Outgoing): Promise<AttemptResult>;
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 to 1. */
  random(): number;
  /** Calls `act` at that time or soon after. The returned function cancels the call. */
  at(time: number, act: () => void): () => void;
  failed(error: unknown): void;
}

/** The next of the feed: an event, or a notice of all events from there on. */
type FeedItem =
  | { readonly kind: "event"; readonly after: bigint; readonly event: PlantEvent }
  | { readonly kind: "notice"; readonly after: bigint };
/** Something to send; a retry has its row as it was read, and its event is read when it is sent. */
type Item = FeedItem | { readonly kind: "retry"; readonly row: Retry };

interface Message {
  readonly event: string;
  readonly type: string;
  readonly body: string;
  /** The failed attempts before that count. */
  readonly failures: number;
  readonly trace: AttemptTrace;
}

interface Attempt extends Message {
  readonly item: Item;
  readonly isProbe: boolean;
  readonly at: number;
}

/**
 * `idle`: all is sent. An event, a change, an outcome that reached the disk, or a time leads to `reading`.
 * `reading`: what is due is read, a batch at a time. Leads to `sending`, to `idle`, or to `resting` if it failed.
 * `sending`: as many attempts as may be under way are begun; what ends leads to more of them, or to `reading`.
 * `resting`: nothing is begun before a time, as the receiver, the schedule of a paused endpoint, or a failure asks.
 * `over`: the endpoint is disabled, or dropped by this node. Nothing leads out of it: one that is enabled begins anew.
 *
 * Attempts that are under way go on in every state, and their outcomes count, unless the endpoint was dropped.
 */
type State = "idle" | "reading" | "sending" | "resting" | "over";

/**
 * Delivers to one endpoint: each event, up to 8 at a time, or notices of all that there is, at most one a second. `position`
 * is the number up to which everything was attempted. An event that failed has a row of its own and is attempted again on
 * schedule; a notice that failed is sent again itself, with the same id and cursor. While the endpoint is paused its
 * position stays, and only the oldest failed event is attempted, one request at a time.
 */
export class EndpointDelivery {
  readonly #ledger = new Ledger();
  #health: EndpointHealth;
  #state: State = "idle";
  /** The position at which it was dropped. */
  #droppedAt: bigint | undefined;
  /** There may be events up to this number. */
  #until: bigint;
  /** The feed was read up to this number. */
  #readTo: bigint;
  /** Read and not begun, the oldest first. */
  #feed: FeedItem[] = [];
  #retries: Retry[] = [];
  readonly #sending = new Set<Item>();
  /** The turns that were asked for and are not over. */
  #turns = 0;
  /** The rows as they were last read: how many there were at most, and when some have to be read again. */
  #rows = { count: 0, dueAt: 0 };
  /** Oldest first, with their positions in memory. */
  #replays: readonly Replay[] = [];
  #sequence: number | undefined;
  /** After a read or a turn that was not to be had. */
  #failedUntil = 0;
  #taken: Pick<EndpointProgress, "position" | "disabled"> | undefined;
  #isToldDisabled = false;
  /** Ends the wait of the present state. */
  #signal: () => void = () => {};

  constructor(
    public endpoint: HeldEndpoint,
    private readonly parts: DeliveryParts,
  ) {
    const { status, reason, failingSince, failures, notBefore, position } = endpoint;
    this.#health = { status, reason, failingSince, failures, notBefore };
    this.#until = this.#readTo = position;
    this.#taken = { position, disabled: undefined };
    void this.#run();
  }

  /** Takes over changes. */
  update(endpoint: HeldEndpoint): void {
    this.endpoint = endpoint;
    this.#rowsChanged();
  }

  /** There may be events up to this number. */
  wake(until: bigint): void {
    if (until > this.#until) this.#until = until;
    this.#signal();
  }

  /** Begins nothing more, and counts no outcome that is still to come. */
  drop(): void {
    this.#droppedAt = this.#position;
    this.#signal();
  }

  /** The progress since the last call; undefined if there is none. */
  takeProgress(): EndpointProgress | undefined {
    const position = this.#position;
    if (!this.#ledger.hasOpen && position === this.#taken?.position) return undefined;
    const { id, revision, account, url } = this.endpoint;
    const isNewlyDisabled = this.#health.status === "disabled" && !this.#isToldDisabled;
    const disabled = isNewlyDisabled ? { account, url } : undefined;
    this.#taken = { position, disabled };
    return { ...this.#health, ...this.#taken, ...this.#ledger.take(), endpoint: id, revision };
  }

  /** The last progress taken is on disk. With `again` its state was not written and must be handed over again. */
  settled(again: boolean): void {
    if (!again && this.#taken?.disabled) this.#isToldDisabled = true;
    if (again) this.#taken = undefined;
    const more = this.#ledger.settle();
    if (more === undefined) return;
    this.#rows.count += more;
    this.#rowsChanged();
  }

  /** Holds back the first event that was not attempted. */
  get #position(): bigint {
    if (this.#droppedAt !== undefined) return this.#droppedAt;
    let position = this.#feed[0]?.after ?? this.#readTo;
    for (const item of this.#sending) if (item.kind !== "retry" && item.after < position) position = item.after;
    return position;
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#state = this.#next();
      if (this.#state === "over") return;
      if (this.#state === "sending") this.#begin();
      await (this.#state === "reading" ? this.#read() : this.#signalled());
    }
  }

  #next(): State {
    if (this.#isOver) return "over";
    if (this.#restsUntil > 0) return "resting";
    if (this.#readsRows || this.#readsFeed || this.#nextReplay) return "reading";
    return this.#ready > 0 || this.#turns > 0 ? "sending" : "idle";
  }

  get #isOver(): boolean {
    return this.#droppedAt !== undefined || this.#health.status === "disabled";
  }

  /** 0 if there is nothing to wait for. */
  get #restsUntil(): number {
    const [now, { notBefore }] = [this.parts.now(), this.#health];
    return Math.max(mustWait(notBefore, now) ? notBefore : 0, mustWait(this.#failedUntil, now) ? this.#failedUntil : 0);
  }

  /** Resolves when something has happened, or when it is time for the next step. */
  #signalled(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const readsRowsAt = this.#retries.length > 0 ? NEVER : this.#rows.dueAt;
    const time = this.#state === "resting" ? this.#restsUntil : readsRowsAt;
    const at = Math.max(time, this.parts.now() + TIMERS_APART_MS);
    const cancel = time === NEVER ? () => {} : this.parts.at(at, resolve);
    this.#signal = () => {
      cancel();
      resolve();
    };
    return promise;
  }

  #rest(error: unknown): void {
    this.parts.failed(error);
    this.#failedUntil = this.parts.now() + REST_MS;
  }

  get #readsRows(): boolean {
    const { dueAt } = this.#rows;
    return this.#retries.length === 0 && dueAt !== NEVER && !mustWait(dueAt, this.parts.now());
  }

  /** A notice that is under way may fail, and is then of all that has come since. */
  get #readsFeed(): boolean {
    const isFree = this.endpoint.delivery === "each" || this.#sending.size === 0;
    return this.#feed.length === 0 && this.#readTo < this.#until && this.#maySendFeed && isFree;
  }

  get #nextReplay(): Replay | undefined {
    if (this.#waiting >= MOST.replayedWaiting) return undefined;
    return this.#replays.find(({ position, until }) => position < until);
  }

  /** A paused endpoint is sent what is new only if it has no failed event to try with. */
  get #maySendFeed(): boolean {
    return this.#health.status === "enabled" || this.#waiting === 0;
  }

  /** The events that wait for another attempt, or more than these while some outcomes are not on disk. */
  get #waiting(): number {
    return this.#rows.count + this.#ledger.waiting;
  }

  async #read(): Promise<void> {
    try {
      this.#sequence ??= await this.parts.progress.lastSequence(this.endpoint.id);
      if (this.#readsRows) await this.#readRows();
      if (this.#readsFeed) await this.#readFeed();
      const replay = this.#nextReplay;
      if (replay) await this.#readReplay(replay);
    } catch (error) {
      this.#rows.dueAt = 0;
      this.#rest(error);
    }
  }

  /** Those that were read and not begun are read again too. */
  #rowsChanged(): void {
    this.#retries = [];
    this.#rows.dueAt = 0;
    this.#signal();
  }

  async #readRows(): Promise<void> {
    const isPaused = this.#health.status === "paused";
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
    if (this.#ledger.has(number)) return true;
    return [...this.#sending].some((item) => item.kind === "retry" && item.row.number === number);
  }

  async #readFeed(): Promise<void> {
    const { delivery, types } = this.endpoint;
    const after = this.#readTo;
    const limit = delivery === "notice" ? 1 : MOST.events;
    const { events, next } = await readFeed(this.parts, this.endpoint, { after, until: this.#until, limit, types });
    const items = events.map((event): FeedItem => ({ kind: "event", after: event.number - 1n, event }));
    this.#feed.push(...(delivery === "notice" && items.length > 0 ? [{ kind: "notice", after } as const] : items));
    this.#readTo = next;
  }

  async #readReplay(replay: Replay): Promise<void> {
    const { id, position, until, types } = replay;
    const range = { after: position, until, limit: MOST.replayed, types };
    const page = await readFeed(this.parts, this.endpoint, range);
    const nextAt = this.parts.now();
    for (const { number } of page.events) this.#ledger.replay({ number, attempts: 0, nextAt });
    const moved = { ...replay, position: page.more ? page.next : until };
    this.#replays = this.#replays.map((each) => (each.id === id ? moved : each));
    this.#ledger.move(moved);
  }

  /** The items that were read and may be sent. */
  get #ready(): number {
    return this.#retries.length + (this.#maySendFeed ? this.#feed.length : 0);
  }

  get #atOnceMax(): number {
    return this.#health.status === "paused" || this.endpoint.delivery === "notice" ? 1 : DELIVERIES_OF_ENDPOINT.each;
  }

  get #mayBegin(): boolean {
    return !this.#isOver && this.#restsUntil === 0;
  }

  #begin(): void {
    if (!this.#mayBegin) return;
    const free = Math.min(this.#atOnceMax, this.#sending.size + this.#ready) - this.#turns;
    for (let at = 0; at < free; at++) void this.#takeTurn();
  }

  async #takeTurn(): Promise<void> {
    this.#turns++;
    try {
      await this.parts.turn(this.endpoint.account, () => this.#attemptNext());
    } catch (error) {
      this.#rest(error);
    }
    this.#turns--;
    this.#begin();
    if (this.#next() !== this.#state) this.#signal();
  }

  /** An item is chosen only when its turn has come, since the endpoint may have been paused or dropped meanwhile. */
  async #attemptNext(): Promise<void> {
    const item = this.#take();
    if (!item) return;
    const isProbe = this.#health.status === "paused";
    try {
      const message =
        item.kind === "notice"
          ? this.#notice(item)
          : this.#message(item.kind === "event" ? item.event : await this.#eventOf(item.row), rowOf(item));
      const attempt = message && { ...message, item, isProbe, at: this.parts.now() };
      const result = attempt && (await this.#send(attempt));
      this.#sending.delete(item);
      if (this.#droppedAt !== undefined) return;
      if (result) this.#ended(attempt, result);
      else this.#ledger.end(rowOf(item), undefined);
    } catch (error) {
      this.#putBack(item);
      throw error;
    }
  }

  #take(): Item | undefined {
    if (!this.#mayBegin || this.#sending.size >= this.#atOnceMax) return undefined;
    const row = this.#retries.shift();
    const item: Item | undefined = row ? { kind: "retry", row } : this.#maySendFeed ? this.#feed.shift() : undefined;
    if (item) this.#sending.add(item);
    if (item?.kind === "notice") this.#readTo = this.#until;
    return item;
  }

  #putBack(item: Item): void {
    this.#sending.delete(item);
    if (item.kind === "retry") this.#rowsChanged();
    else this.#feed = [item, ...this.#feed].sort((a, b) => (a.after < b.after ? -1 : 1));
  }

  #eventOf({ number }: Retry): Promise<PlantEvent | undefined> {
    return this.parts.events.find(this.endpoint.account, number);
  }

  /** Undefined for an event that is no longer kept. */
  #message(event: PlantEvent | undefined, row: Retry | undefined): Message | undefined {
    if (!event) return undefined;
    const body = this.parts.shapeOf(this.endpoint.version).webhookEventBody(event);
    const trace = this.parts.traces.ofEvent(this.endpoint.account, event);
    return { event: eventId(event.number), type: event.type, body, failures: row?.attempts ?? 0, trace };
  }

  #notice({ after }: Item & { readonly kind: "notice" }): Message {
    const event = `${eventId(after)}_notice`;
    const shape = this.parts.shapeOf(this.endpoint.version);
    const body = shape.noticeBody(event, encodeEventCursor(after), this.parts.now());
    const trace = this.parts.traces.ofUnknown();
    return { event, type: NOTICE_TYPE, body, failures: this.#health.failures, trace };
  }

  #send({ event: id, body, at, trace: { traceparent } }: Attempt): Promise<AttemptResult> {
    return this.parts.send(outgoing(this.endpoint, { id, body, at, traceparent }));
  }

  /** Records the outcome, and enters the attempt in the log. */
  #ended(attempt: Attempt, result: AttemptResult): void {
    const nextAt = result.succeeded ? this.#succeeded(attempt) : this.#failed(attempt, result);
    const { event, type, item, failures, at, trace } = attempt;
    const { succeeded, httpStatus, error, ms, excerpt } = result;
    const status = succeeded ? "succeeded" : nextAt === undefined ? "failed" : "waiting";
    const isRetry = item.kind === "notice" ? failures > 0 : item.kind === "retry";
    const sequence = (this.#sequence ?? 0) + 1;
    this.#sequence = sequence;
    const entry = { sequence, event, type, attempt: failures + 1, isRetry, at, nextAt, span: trace.span };
    this.#ledger.log({ ...entry, status, httpStatus, error, ms, excerpt });
  }

  #succeeded({ item, at }: Attempt): undefined {
    const wasPaused = this.#health.status === "paused";
    this.#health = afterSuccess(this.#health);
    if (item.kind === "retry") this.#ledger.end(item.row, undefined);
    if (item.kind === "notice") this.#holdBack(at + NOTICES_APART_MS);
    if (wasPaused) this.#rowsChanged();
  }

  /** Returns the time of the next attempt. */
  #failed({ item, failures, isProbe }: Attempt, { httpStatus, retryAfterMs }: AttemptResult): number | undefined {
    const [now, random] = [this.parts.now(), this.parts.random()];
    const retriesWaiting = this.#waiting + (item.kind === "event" ? 1 : 0);
    const failed = { httpStatus, retryAfterMs, isProbe, retriesWaiting, now, random };
    this.#health = afterFailure(this.#health, failed);
    if (item.kind === "notice") {
      this.#putBack(item);
      return this.#holdBack(now + retryDelayMs(failures + 1, random, retryAfterMs));
    }
    // Those that were read stay as they are.
    if (this.#health.status !== "enabled") this.#rowsChanged();
    const attempts = failures + (isProbe ? 0 : 1);
    const delayMs = isProbe ? 0 : retryDelayMs(attempts, random, retryAfterMs);
    const nextAt = attempts < ATTEMPTS_MAX ? Math.max(now + delayMs, this.#health.notBefore) : undefined;
    const number = item.kind === "retry" ? item.row.number : item.event.number;
    this.#ledger.end(rowOf(item), nextAt === undefined ? undefined : { number, attempts, nextAt });
    return nextAt;
  }

  #holdBack(until: number): number {
    const { notBefore: before } = this.#health;
    const notBefore = mustWait(before, this.parts.now()) ? Math.max(until, before) : until;
    this.#health = { ...this.#health, notBefore };
    return notBefore;
  }
}

function rowOf(item: Item): Retry | undefined {
  return item.kind === "retry" ? item.row : undefined;
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
