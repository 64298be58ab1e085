import { encodeEventCursor } from "#contract/event-cursor.ts";
import { NOTICE_TYPE } from "#contract/v1/event.ts";
import { eventId, type PlantEvent } from "#core/event.ts";
import { WEBHOOKS_PER_ACCOUNT_MAX } from "#core/webhook.ts";
import { OUTGOING } from "#load/limit-groups.ts";
import type { EndpointHealth, EndpointProgress, Retry } from "#storage/webhook-outcomes.ts";
import { type AttemptResult, outgoing } from "./attempt.ts";
import { Backlog, type Item, NEVER } from "./backlog.ts";
import type { DeliveryParts, HeldEndpoint } from "./delivery-parts.ts";
import type { AttemptTrace } from "./delivery-traces.ts";
import { ATTEMPTS_MAX, afterFailure, afterSuccess, mustWait, retryDelayMs } from "./endpoint-health.ts";
import { Ledger } from "./ledger.ts";

const DELIVERIES_OF_ENDPOINT = OUTGOING.row("deliveries of an endpoint", "endpoint", { each: 8 });
/** With its two tests, an account has at most 32 requests under way. */
export const DELIVERIES = OUTGOING.row("deliveries", "account", {
  each: 30,
  all: 1024,
  waitingEach: DELIVERIES_OF_ENDPOINT.each * WEBHOOKS_PER_ACCOUNT_MAX,
  waiting: Infinity,
});

const TIMERS_APART_MS = 100;
const REST_MS = 1000;
const NOTICES_APART_MS = 1000;

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
  readonly #backlog: Backlog;
  #health: EndpointHealth;
  #state: State = "idle";
  /** The position at which it was dropped. */
  #droppedAt: bigint | undefined;
  /** The turns that were asked for and are not over. */
  #turns = 0;
  #sequence: number | undefined;
  /** True while the last entry of the log is that of a failed probe, since this node holds the endpoint. */
  #loggedFailedProbe = false;
  /** No read is tried before this time, after a read or a turn failed. */
  #failedUntil = 0;
  #taken: Pick<EndpointProgress, "position" | "disabled"> | undefined;
  #isToldDisabled = false;
  /** Ends the wait of the present state. */
  #signal: () => void = () => {};

  constructor(
    endpoint: HeldEndpoint,
    private readonly parts: DeliveryParts,
  ) {
    const { status, reason, failingSince, failures, notBefore, position } = endpoint;
    this.#health = { status, reason, failingSince, failures, notBefore };
    this.#backlog = new Backlog(endpoint, parts, this.#ledger);
    this.#taken = { position, disabled: undefined };
    void this.#run();
  }

  get endpoint(): HeldEndpoint {
    return this.#backlog.endpoint;
  }

  /** Takes over changes. */
  update(endpoint: HeldEndpoint): void {
    this.#backlog.endpoint = endpoint;
    this.#rowsChanged();
  }

  /** There may be events up to this number. */
  wake(until: bigint): void {
    if (until > this.#backlog.until) this.#backlog.until = until;
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
    return { ...this.#health, ...this.#taken, ...this.#ledger.drain(), endpoint: id, revision };
  }

  /** The last progress taken is on disk. With `again` its state was not written and must be handed over again. */
  settled(again: boolean): void {
    if (!again && this.#taken?.disabled) this.#isToldDisabled = true;
    if (again) this.#taken = undefined;
    const more = this.#ledger.settle();
    if (more !== undefined) this.#rowsChanged(more);
  }

  get #position(): bigint {
    return this.#droppedAt ?? this.#backlog.position;
  }

  get #isPaused(): boolean {
    return this.#health.status === "paused";
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
    if (this.#backlog.hasToRead(this.#isPaused)) return "reading";
    return this.#backlog.ready(this.#isPaused) > 0 || this.#turns > 0 ? "sending" : "idle";
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
    const time = this.#state === "resting" ? this.#restsUntil : this.#backlog.readsAt;
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

  async #read(): Promise<void> {
    try {
      this.#sequence ??= await this.parts.progress.lastSequence(this.endpoint.id);
      await this.#backlog.read(this.#isPaused);
    } catch (error) {
      this.#rest(error);
    }
  }

  #rowsChanged(more = 0): void {
    this.#backlog.rowsChanged(more);
    this.#signal();
  }

  get #atOnceMax(): number {
    return this.#isPaused || this.endpoint.delivery === "notice" ? 1 : DELIVERIES_OF_ENDPOINT.each;
  }

  get #mayBegin(): boolean {
    return !this.#isOver && this.#restsUntil === 0;
  }

  #begin(): void {
    if (!this.#mayBegin) return;
    const begun = this.#backlog.sending + this.#backlog.ready(this.#isPaused);
    const free = Math.min(this.#atOnceMax, begun) - this.#turns;
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
    const isProbe = this.#isPaused;
    const hasRoom = this.#mayBegin && this.#backlog.sending < this.#atOnceMax;
    const item = hasRoom ? this.#backlog.shift(isProbe) : undefined;
    if (!item) return;
    try {
      const message =
        item.kind === "notice"
          ? this.#notice(item)
          : this.#message(item.kind === "event" ? item.event : await this.#eventOf(item.row), rowOf(item));
      const attempt = message && { ...message, item, isProbe, at: this.parts.now() };
      const result = attempt && (await this.#send(attempt));
      this.#backlog.end(item);
      if (this.#droppedAt !== undefined) return;
      if (result) this.#ended(attempt, result);
      else this.#ledger.end(rowOf(item), undefined);
    } catch (error) {
      this.#backlog.putBack(item);
      throw error;
    }
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
    const sequence = this.#nextSequence(attempt.isProbe && !succeeded);
    const entry = { sequence, event, type, attempt: failures + 1, isRetry, at, nextAt, span: trace.span };
    this.#ledger.log({ ...entry, status, httpStatus, error, ms, excerpt });
  }

  /** Failed probes that follow each other are one entry of the log, that of the last one. */
  #nextSequence(isFailedProbe: boolean): number {
    const isSame = isFailedProbe && this.#loggedFailedProbe;
    this.#loggedFailedProbe = isFailedProbe;
    this.#sequence = (this.#sequence ?? 0) + (isSame ? 0 : 1);
    return this.#sequence;
  }

  #succeeded({ item, at }: Attempt): undefined {
    const wasPaused = this.#isPaused;
    this.#health = afterSuccess(this.#health);
    if (item.kind === "retry") this.#ledger.end(item.row, undefined);
    if (item.kind === "notice") this.#holdBack(at + NOTICES_APART_MS);
    if (wasPaused) this.#rowsChanged();
  }

  /** Returns the time of the next attempt. */
  #failed({ item, failures, isProbe }: Attempt, { httpStatus, retryAfterMs }: AttemptResult): number | undefined {
    const [now, random] = [this.parts.now(), this.parts.random()];
    const retriesWaiting = this.#backlog.waiting + (item.kind === "event" ? 1 : 0);
    const failed = { httpStatus, retryAfterMs, isProbe, retriesWaiting, now };
    this.#health = afterFailure(this.#health, failed);
    if (item.kind === "notice") {
      this.#backlog.putBack(item);
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
