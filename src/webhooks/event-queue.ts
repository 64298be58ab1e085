import { eventId, type PlantEvent } from "#core/event.ts";
import type { EndpointProgress } from "#storage/webhook-progress.ts";
import type { AttemptResult } from "./attempt.ts";
import { afterFailure, afterSuccess, type HealthState } from "./endpoint-health.ts";
import { type DeliveryParts, type EndpointQueue, type HeldEndpoint, outgoing } from "./held-endpoint.ts";
import { OpenReplays } from "./open-replays.ts";
import { readFeed } from "./read-feed.ts";
import { ATTEMPTS_MAX, retryDelayMs } from "./schedule.ts";
import { UnsavedProgress } from "./unsaved-progress.ts";

const AT_ONCE_MAX = 8;
const READ_AT_ONCE = 200;
const RETRIES_AT_ONCE = 64;
/** Events of a replay wait like retries, at most this many at a time. */
const REPLAYED_WAITING_MAX = 400;
const REPLAYED_AT_ONCE = 100;
/** The delay before a failed read is repeated. */
const READ_AGAIN_MS = 1000;
/** The delay until the outcome of an attempted retry is stored. */
const SETTLING_MS = 250;
/** The interval between checks for due retries while all slots are taken. */
const LOOKS_APART_MS = 100;

interface Job {
  readonly event: PlantEvent;
  /** The number of failed attempts so far. */
  readonly attempts: number;
  /** False for the first attempt at an event, in the course of the feed. */
  readonly isRetry: boolean;
}

/**
 * Delivers each event to one endpoint, up to 8 at a time. `position` is the number up to which everything was
 * attempted; an event that failed has a row of its own and is attempted again on schedule. While the endpoint is paused
 * the position stays, and only the oldest failed event is attempted.
 */
export class EventQueue implements EndpointQueue {
  endpoint: HeldEndpoint;
  readonly #parts: DeliveryParts;
  readonly #unsaved: UnsavedProgress;
  #health: HealthState;
  #until: bigint;
  #readTo: bigint;
  #events: PlantEvent[] = [];
  #jobs: Job[] = [];
  /** Events of the feed that are being sent. */
  readonly #underWay = new Set<bigint>();
  /** Retries that are being sent, or whose outcome is not on disk yet. */
  readonly #unsettled = new Set<bigint>();
  #settling: bigint[] = [];
  #settlingDueAt = Number.POSITIVE_INFINITY;
  #sending = 0;
  #retriesWaiting = 0;
  #nextRetryAt = 0;
  readonly #replays = new OpenReplays();
  #sequence = 0;
  #filling = false;
  #loaded = false;
  #seesReplays = false;
  #closed = false;
  #cancelTimer: () => void = () => {};

  constructor(endpoint: HeldEndpoint, parts: DeliveryParts) {
    this.endpoint = endpoint;
    this.#parts = parts;
    this.#health = endpoint;
    this.#readTo = this.#until = endpoint.position;
    this.#unsaved = new UnsavedProgress(endpoint.position);
  }

  update(endpoint: HeldEndpoint): boolean {
    const { delivery, status, position } = endpoint;
    if (delivery !== this.endpoint.delivery || status !== this.#health.status) return false;
    if (position > this.#position()) return false;
    this.endpoint = endpoint;
    this.#nextRetryAt = 0;
    this.#seesReplays = false;
    this.#pump();
    return true;
  }

  wake(until: bigint): void {
    if (until > this.#until) this.#until = until;
    this.#pump();
  }

  takeProgress(): EndpointProgress | undefined {
    const progress = this.#unsaved.take(this.endpoint, this.#health, this.#position());
    if (!progress) return undefined;
    const { retries, over } = progress;
    this.#settling = [...retries.map(({ number }) => number), ...over];
    this.#settlingDueAt = Math.min(...retries.map(({ nextAt }) => nextAt));
    return progress;
  }

  settled(again: boolean): void {
    if (again) this.#unsaved.takeAgain();
    for (const number of this.#settling) this.#unsettled.delete(number);
    this.#settling = [];
    this.#nextRetryAt = Math.min(this.#nextRetryAt, this.#settlingDueAt);
    this.#pump();
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer();
  }

  /** Every event up to this number was attempted. */
  #position(): bigint {
    let position = this.#events[0] ? this.#events[0].number - 1n : this.#readTo;
    for (const number of this.#underWay) if (number <= position) position = number - 1n;
    return position;
  }

  #pump(): void {
    if (this.#closed || this.#health.status === "disabled") return;
    if (this.#loaded) {
      const max = this.#health.status === "paused" ? 1 : AT_ONCE_MAX;
      for (let job = this.#nextJob(max); job; job = this.#nextJob(max)) void this.#deliver(job);
    }
    if (!this.#filling) void this.#fill();
  }

  #nextJob(max: number): Job | undefined {
    if (this.#sending >= max) return undefined;
    const retry = this.#jobs.shift();
    if (retry) return retry;
    // A paused endpoint with failed events is sent only these.
    if (!this.#mayReadOn()) return undefined;
    const event = this.#events.shift();
    if (!event) return undefined;
    this.#underWay.add(event.number);
    return { event, attempts: 0, isRetry: false };
  }

  async #deliver({ event, attempts, isRetry }: Job): Promise<void> {
    this.#sending++;
    const { now } = this.#parts;
    const id = eventId(event.number);
    const at = now();
    const { traceparent, span } = this.#parts.traces.ofEvent(this.endpoint.account, event);
    const body = this.#parts.shapeOf(this.endpoint.version).webhookEventBody(event);
    const request = outgoing(this.endpoint, { id, body, now: at, traceparent });
    const result = await this.#parts.send(request);
    this.#sending--;
    if (this.#closed) return;
    const nextAt = this.#settle(event.number, attempts, isRetry, result);
    this.#unsaved.addAttempt({
      sequence: ++this.#sequence,
      event: id,
      type: event.type,
      attempt: attempts + 1,
      status: result.succeeded ? "succeeded" : nextAt === undefined ? "failed" : "waiting",
      httpStatus: result.httpStatus,
      error: result.error,
      ms: result.ms,
      at,
      nextAt,
      excerpt: result.excerpt,
      span,
    });
    this.#pump();
  }

  /** Records the outcome and returns the time of the next attempt. */
  #settle(number: bigint, attempts: number, isRetry: boolean, result: AttemptResult): number | undefined {
    this.#underWay.delete(number);
    if (result.succeeded) {
      if (this.#health.status === "paused") this.#nextRetryAt = 0;
      this.#health = afterSuccess();
      if (isRetry) this.#end(number);
      return undefined;
    }
    const now = this.#parts.now();
    const failed = attempts + 1;
    if (!isRetry) this.#retriesWaiting++;
    const state = { httpStatus: result.httpStatus, retriesWaiting: this.#retriesWaiting, now };
    this.#health = afterFailure(this.#health, state);
    if (this.#health.status !== "enabled") this.#putBackJobs();
    if (failed >= ATTEMPTS_MAX) {
      this.#end(number);
      return undefined;
    }
    const nextAt = Math.round(now + retryDelayMs(failed, this.#parts.random(), result.retryAfterMs));
    this.#unsaved.setRetry({ number, attempts: failed, nextAt });
    this.#unsettled.add(number);
    this.#nextRetryAt = Math.min(this.#nextRetryAt, nextAt);
    return nextAt;
  }

  /** Retries that were read but not sent stay unchanged. */
  #putBackJobs(): void {
    for (const { event } of this.#jobs) this.#unsettled.delete(event.number);
    this.#jobs = [];
    this.#nextRetryAt = 0;
  }

  #end(number: bigint): void {
    this.#retriesWaiting--;
    this.#unsaved.endRetry(number);
    this.#unsettled.add(number);
  }

  /** Reads the next events to send, one batch at a time. */
  async #fill(): Promise<void> {
    this.#filling = true;
    try {
      if (!this.#loaded) await this.#load();
      if (!this.#seesReplays) await this.#findReplays();
      let found = false;
      if (this.#jobs.length === 0 && this.#parts.now() >= this.#nextRetryAt) found = await this.#readRetries();
      if (this.#events.length === 0 && this.#readTo < this.#until && this.#mayReadOn()) {
        found = (await this.#readEvents()) || found;
      }
      if (this.#replays.first && this.#retriesWaiting < REPLAYED_WAITING_MAX) {
        found = (await this.#readReplay()) || found;
      }
      this.#filling = false;
      if (found) return this.#pump();
      this.#wakeAt(this.#nextRetryAt);
    } catch (error) {
      this.#filling = false;
      this.#parts.failed(error);
      this.#wakeAt(this.#parts.now() + READ_AGAIN_MS);
    }
  }

  /** A paused endpoint reads on only if it has no failed event to try with. */
  #mayReadOn(): boolean {
    return this.#health.status === "enabled" || this.#retriesWaiting === 0;
  }

  async #load(): Promise<void> {
    const { work } = this.#parts;
    const { id } = this.endpoint;
    this.#sequence = await work.lastSequence(id);
    this.#retriesWaiting = await work.countRetries(id);
    this.#loaded = true;
  }

  async #findReplays(): Promise<void> {
    this.#seesReplays = true;
    await this.#replays.look(this.#parts.work, this.endpoint.id);
    // Single events to deliver again have rows too.
    this.#retriesWaiting = Math.max(this.#retriesWaiting, await this.#parts.work.countRetries(this.endpoint.id));
  }

  async #readRetries(): Promise<boolean> {
    const { work, events, now } = this.#parts;
    const isPaused = this.#health.status === "paused";
    const rows = await work.retries(this.endpoint.id, isPaused ? 1 : RETRIES_AT_ONCE, isPaused);
    const due = rows.filter(({ number, nextAt }) => nextAt <= now() && !this.#unsettled.has(number));
    const later = rows.find(({ nextAt }) => nextAt > now());
    const isSettling = rows.some(({ number }) => this.#unsettled.has(number));
    this.#nextRetryAt = isSettling
      ? now() + SETTLING_MS
      : (later?.nextAt ?? (due.length > 0 ? now() : Number.POSITIVE_INFINITY));
    for (const { number, attempts } of due) {
      this.#unsettled.add(number);
      const event = await events.find(this.endpoint.account, number);
      if (event) this.#jobs.push({ event, attempts, isRetry: true });
      else this.#end(number);
    }
    return due.length > 0;
  }

  async #readEvents(): Promise<boolean> {
    const { types } = this.endpoint;
    const range = { after: this.#readTo, until: this.#until, limit: READ_AT_ONCE, types };
    const page = await readFeed(this.#parts, this.endpoint, range);
    this.#events = [...page.events];
    this.#readTo = page.next;
    return page.events.length > 0 || page.more;
  }

  async #readReplay(): Promise<boolean> {
    const replay = this.#replays.first;
    if (!replay) return false;
    const { position, until, types } = replay;
    const range = { after: position, until, limit: REPLAYED_AT_ONCE, types };
    const page = await readFeed(this.#parts, this.endpoint, range);
    const now = this.#parts.now();
    for (const { number } of page.events) {
      this.#unsaved.setRetry({ number, attempts: 0, nextAt: now });
      this.#unsettled.add(number);
    }
    this.#retriesWaiting += page.events.length;
    const moved = this.#replays.moveFirst(page.more ? page.next : until);
    if (moved) this.#unsaved.moveReplay(moved);
    this.#nextRetryAt = now;
    return true;
  }

  #wakeAt(time: number): void {
    this.#cancelTimer();
    if (this.#closed || time === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#parts.at(Math.max(time, this.#parts.now() + LOOKS_APART_MS), () => this.#pump());
  }
}
