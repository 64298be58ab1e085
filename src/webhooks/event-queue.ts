import { eventId, type PlantEvent } from "#core/event.ts";
import { DELIVERIES_OF_ENDPOINT } from "#load/limits.ts";
import type { EndpointProgress, Replay, Retry } from "#storage/webhook-progress.ts";
import type { AttemptResult } from "./attempt.ts";
import { ATTEMPTS_MAX, afterFailure, afterSuccess, mustWait, retryDelayMs } from "./endpoint-health.ts";
import { EndpointQueue } from "./endpoint-queue.ts";
import { type DeliveryParts, type HeldEndpoint, readFeed } from "./held-endpoint.ts";

/** The most that is read at once. Events of a replay wait like retries, at most `replayedWaiting` at a time. */
const MOST = { events: 200, retries: 64, replayed: 100, replayedWaiting: 400 } as const;
const LOOKS_APART_MS = 100;

interface Job {
  readonly event: PlantEvent;
  /** Its row; undefined for the first attempt at an event, in the course of the feed. */
  readonly retry: Retry | undefined;
}

/**
 * Delivers each event to one endpoint, up to 8 at a time. `position` is the number up to which everything was
 * attempted; an event that failed has a row of its own and is attempted again on schedule. While the endpoint is paused
 * the position stays, and only the oldest failed event is attempted.
 */
export class EventQueue extends EndpointQueue {
  #readTo: bigint;
  #events: PlantEvent[] = [];
  #jobs: Job[] = [];
  /** Events of the feed that are being sent. */
  readonly #underWay = new Set<bigint>();
  /** Retries that are to be sent or are being sent, and those that are not known to be counted with the rows on disk. */
  readonly #unsettled = new Set<bigint>();
  #settling: readonly bigint[] = [];
  /** The rows on disk when they were counted last, and whether there may be others since. */
  #rows = 0;
  #isStale = true;
  /** Those among `#unsettled` whose outcome is on disk. */
  #stored: readonly bigint[] = [];
  /** The turns that were asked for and are not over. */
  #turns = 0;
  #nextRetryAt = 0;
  /** Oldest first, with their positions. One that was read to its end has none. */
  #replays: Map<string, Replay | undefined> = new Map();
  #filling = false;
  #wakesAt = Number.POSITIVE_INFINITY;

  constructor(endpoint: HeldEndpoint, parts: DeliveryParts) {
    super(endpoint, parts);
    this.#readTo = endpoint.position;
  }

  override update(endpoint: HeldEndpoint): void {
    super.update(endpoint);
    this.#isStale = true;
    this.work();
  }

  override takeProgress(): EndpointProgress | undefined {
    const progress = super.takeProgress();
    if (!progress) return undefined;
    const { attempted, retries, replayed } = progress;
    this.#settling = [...attempted, ...retries, ...replayed].map(({ number }) => number);
    return progress;
  }

  override settled(again: boolean): void {
    super.settled(again);
    if (this.#settling.length > 0) this.#isStale = true;
    this.#stored = [...this.#stored, ...this.#settling];
    this.#settling = [];
    this.work();
  }

  override close(): void {
    super.close();
    // Turns that were asked for may keep this object for a while.
    this.#readTo = this.position;
    this.#events = [];
    this.#jobs = [];
  }

  protected get position(): bigint {
    let position = this.#events[0] ? this.#events[0].number - 1n : this.#readTo;
    for (const number of this.#underWay) if (number <= position) position = number - 1n;
    return position;
  }

  protected work(): void {
    const { status, notBefore } = this.health;
    if (this.isClosed || status === "disabled") return;
    if (mustWait(notBefore, this.parts.now())) {
      this.#wakeAt(notBefore);
      return;
    }
    const ready = this.sending + this.#jobs.length + (this.#mayReadOn() ? this.#events.length : 0);
    for (let free = Math.min(this.#atOnceMax(), ready) - this.#turns; free > 0; free--) void this.#takeTurn();
    if (!this.#filling) void this.#fill();
  }

  #atOnceMax(): number {
    return this.health.status === "paused" ? 1 : DELIVERIES_OF_ENDPOINT.each;
  }

  async #takeTurn(): Promise<void> {
    this.#turns++;
    const turn = this.parts.turn(this.endpoint.account, () => this.#deliverNext()).finally(() => this.#turns--);
    await turn.then(
      () => this.work(),
      (error) => this.#tryAgain(error),
    );
  }

  /** A job is chosen only when its turn has come, since the endpoint may have been paused or dropped meanwhile. */
  #nextJob(): Job | undefined {
    if (this.isClosed || this.sending >= this.#atOnceMax() || mustWait(this.health.notBefore, this.parts.now()))
      return undefined;
    const retry = this.#jobs.shift();
    if (retry) return retry;
    // A paused endpoint with failed events is sent only these.
    const event = this.#mayReadOn() ? this.#events.shift() : undefined;
    if (!event) return undefined;
    this.#underWay.add(event.number);
    return { event, retry: undefined };
  }

  async #deliverNext(): Promise<void> {
    const job = this.#nextJob();
    if (!job) return;
    const { event, retry } = job;
    const isProbe = this.health.status === "paused";
    const trace = this.parts.traces.ofEvent(this.endpoint.account, event);
    const body = this.parts.shapeOf(this.endpoint.version).webhookEventBody(event);
    const entry = {
      event: eventId(event.number),
      type: event.type,
      attempt: (retry?.attempts ?? 0) + 1,
      isRetry: retry !== undefined,
    };
    await this.attempt({ ...entry, body, trace }, (result) => this.#settle(job, isProbe, result));
  }

  /** Records the outcome and returns the time of the next attempt. */
  #settle(job: Job, isProbe: boolean, result: AttemptResult): number | undefined {
    const { number } = job.event;
    this.#underWay.delete(number);
    if (result.succeeded) {
      if (this.health.status === "paused") this.#nextRetryAt = 0;
      this.health = afterSuccess(this.health);
      if (job.retry) this.#end(job.retry);
      return undefined;
    }
    const { httpStatus, retryAfterMs } = result;
    const [now, random] = [this.parts.now(), this.parts.random()];
    this.#unsettled.add(number);
    const retriesWaiting = this.#waiting();
    this.health = afterFailure(this.health, { httpStatus, retryAfterMs, isProbe, retriesWaiting, now, random });
    if (this.health.status !== "enabled") this.#putBackJobs();
    const attempts = (job.retry?.attempts ?? 0) + (isProbe ? 0 : 1);
    if (attempts >= ATTEMPTS_MAX) {
      this.endAttempt(job.retry, undefined);
      return undefined;
    }
    const delayMs = isProbe ? 0 : retryDelayMs(attempts, random, retryAfterMs);
    const nextAt = Math.max(now + delayMs, this.health.notBefore);
    this.endAttempt(job.retry, { number, attempts, nextAt });
    return nextAt;
  }

  /** The events that wait for another attempt, or more than these while some are being sent. */
  #waiting(): number {
    return this.#rows + this.#unsettled.size;
  }

  /** Retries that were read but not sent stay unchanged. */
  #putBackJobs(): void {
    for (const { event } of this.#jobs) this.#unsettled.delete(event.number);
    this.#jobs = [];
    this.#nextRetryAt = 0;
  }

  #end(retry: Retry): void {
    this.endAttempt(retry, undefined);
    this.#unsettled.add(retry.number);
  }

  /** Reads the next events to send, one batch at a time. */
  async #fill(): Promise<void> {
    this.#filling = true;
    try {
      await this.readSequence();
      if (this.#isStale) await this.#countRows();
      let found = false;
      if (this.#jobs.length === 0 && this.parts.now() >= this.#nextRetryAt) found = await this.#readRetries();
      if (this.#events.length === 0 && this.#readTo < this.until && this.#mayReadOn()) {
        found = (await this.#readEvents()) || found;
      }
      const replay = [...this.#replays.values()].find((each) => each !== undefined);
      if (replay && this.#waiting() < MOST.replayedWaiting) {
        await this.#readReplay(replay);
        found = true;
      }
      this.#filling = false;
      if (found || this.#isStale) return this.work();
      if (this.#jobs.length === 0) this.#wakeAt(this.#nextRetryAt);
    } catch (error) {
      this.#filling = false;
      this.#tryAgain(error);
    }
  }

  /** After a read that failed, or a turn that was not to be had. */
  #tryAgain(error: unknown): void {
    this.parts.failed(error);
    this.#wakeAt(this.parts.now() + 1000);
  }

  /** A paused endpoint reads on only if it has no failed event to try with. */
  #mayReadOn(): boolean {
    return this.health.status === "enabled" || this.#waiting() === 0;
  }

  /** Counts what waits and looks for new replays. A known replay's row may be older than its position in memory. */
  async #countRows(): Promise<void> {
    const { work } = this.parts;
    const { id } = this.endpoint;
    this.#isStale = false;
    const stored = this.#stored;
    try {
      const [replays, rows] = [await work.replays(id), await work.countRetries(id)];
      const known = this.#replays;
      this.#replays = new Map(replays.map((row) => [row.id, known.has(row.id) ? known.get(row.id) : row]));
      this.#rows = rows;
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
    for (const number of stored) this.#unsettled.delete(number);
    this.#stored = this.#stored.slice(stored.length);
    this.#nextRetryAt = 0;
  }

  async #readRetries(): Promise<boolean> {
    const { work, events } = this.parts;
    const now = this.parts.now();
    const isPaused = this.health.status === "paused";
    const rows = await work.retries(this.endpoint.id, isPaused ? 1 : MOST.retries, isPaused);
    const due = rows.filter(
      ({ number, nextAt }) => (isPaused || !mustWait(nextAt, now)) && !this.#unsettled.has(number),
    );
    const later = rows.find(({ nextAt }) => mustWait(nextAt, now));
    this.#nextRetryAt = due.length > 0 ? 0 : (later?.nextAt ?? Number.POSITIVE_INFINITY);
    for (const retry of due) {
      const event = await events.find(this.endpoint.account, retry.number);
      this.#unsettled.add(retry.number);
      if (event) this.#jobs.push({ event, retry });
      else this.#end(retry);
    }
    return due.length > 0;
  }

  async #readEvents(): Promise<boolean> {
    const { types } = this.endpoint;
    const range = { after: this.#readTo, until: this.until, limit: MOST.events, types };
    const page = await readFeed(this.parts, this.endpoint, range);
    this.#events = [...page.events];
    this.#readTo = page.next;
    return page.events.length > 0 || page.more;
  }

  async #readReplay(replay: Replay): Promise<void> {
    const { id, position, until, types } = replay;
    const range = { after: position, until, limit: MOST.replayed, types };
    const page = await readFeed(this.parts, this.endpoint, range);
    const now = this.parts.now();
    for (const { number } of page.events) {
      this.replay({ number, attempts: 0, nextAt: now });
      this.#unsettled.add(number);
    }
    const moved = { ...replay, position: page.more ? page.next : until };
    this.#replays.set(id, page.more ? moved : undefined);
    this.moveReplay(moved);
  }

  #wakeAt(time: number): void {
    const at = Math.max(time, this.parts.now() + LOOKS_APART_MS);
    if (this.isClosed || at >= this.#wakesAt) return;
    this.cancelTimer();
    this.#wakesAt = at;
    this.cancelTimer = this.parts.at(at, () => {
      this.#wakesAt = Number.POSITIVE_INFINITY;
      this.work();
    });
  }
}
