import { encodeEventCursor } from "#contract/event-cursor.ts";
import { NOTICE_TYPE, noticeBody } from "#contract/v1/event.ts";
import { eventId } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { EndpointProgress, LogEntry } from "#storage/webhook-progress.ts";
import { afterFailure, afterSuccess, type HealthState } from "./endpoint-health.ts";
import { type DeliveryParts, type EndpointQueue, type HeldEndpoint, outgoing } from "./held-endpoint.ts";
import { retryDelayMs } from "./schedule.ts";

const NOTICES_APART_MS = 1000;
const READ_AGAIN_MS = 1000;

/**
 * Tells one endpoint, at most once a second, that there are events, and from which cursor on. The position moves to the
 * end with each notice that arrived; one that failed is sent again by the schedule, with the same id and cursor.
 */
export class NoticeQueue implements EndpointQueue {
  endpoint: HeldEndpoint;
  readonly #parts: DeliveryParts;
  #health: HealthState;
  #position: bigint;
  #positionTaken: bigint;
  #until: bigint;
  #nextAt = 0;
  #attempt = 1;
  #sequence: number | undefined;
  #log: LogEntry[] = [];
  #dirty = false;
  #working = false;
  #closed = false;
  #toldDisabled = false;
  #cancelTimer: () => void = () => {};

  constructor(endpoint: HeldEndpoint, parts: DeliveryParts) {
    this.endpoint = endpoint;
    this.#parts = parts;
    this.#health = endpoint;
    this.#attempt = endpoint.failures + 1;
    this.#position = this.#positionTaken = this.#until = endpoint.position;
  }

  update(endpoint: HeldEndpoint): boolean {
    const { delivery, status, position } = endpoint;
    if (delivery !== this.endpoint.delivery || status !== this.#health.status || position > this.#position)
      return false;
    this.endpoint = endpoint;
    return true;
  }

  wake(until: bigint): void {
    if (until > this.#until) this.#until = until;
    if (!this.#working) void this.#work();
  }

  takeProgress(): EndpointProgress | undefined {
    if (this.#log.length === 0 && this.#position === this.#positionTaken && !this.#dirty) return undefined;
    this.#dirty = false;
    const { id, revision } = this.endpoint;
    const log = this.#log;
    this.#log = [];
    this.#positionTaken = this.#position;
    return {
      endpoint: id,
      revision,
      position: this.#position,
      ...this.#health,
      log,
      retries: [],
      over: [],
      replays: [],
      disabled: this.#disabledNow(),
    };
  }

  settled(again: boolean): void {
    this.#dirty ||= again;
  }

  /** The endpoint's holder is told once. */
  #disabledNow(): EndpointProgress["disabled"] {
    if (this.#health.status !== "disabled" || this.#toldDisabled) return undefined;
    this.#toldDisabled = true;
    const { account, url } = this.endpoint;
    return { account, url };
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer();
  }

  async #work(): Promise<void> {
    this.#working = true;
    try {
      while (!this.#closed && this.#health.status !== "disabled" && this.#position < this.#until) {
        if (this.#parts.now() < this.#nextAt) break;
        if (await this.#hasEvents()) await this.#notify();
      }
    } catch (error) {
      this.#parts.failed(error);
      this.#nextAt = this.#parts.now() + READ_AGAIN_MS;
    }
    this.#working = false;
    this.#cancelTimer();
    if (this.#closed || this.#position >= this.#until) return;
    this.#cancelTimer = this.#parts.at(this.#nextAt, () => this.wake(this.#until));
  }

  /** Passes over what the endpoint does not ask for. */
  async #hasEvents(): Promise<boolean> {
    const { account, types } = this.endpoint;
    try {
      const query = { after: this.#position, limit: 1, types, until: this.#until };
      const { events, next } = await this.#parts.events.read(account, query);
      if (events.length === 0) this.#position = next;
      return events.length > 0;
    } catch (error) {
      if (!(error instanceof Failure && error.code === "cursor-expired")) throw error;
      this.#position = await this.#parts.events.oldest();
      return false;
    }
  }

  async #notify(): Promise<void> {
    const { now, work, random } = this.#parts;
    this.#sequence ??= await work.lastSequence(this.endpoint.id);
    const at = now();
    const until = this.#until;
    const id = `${eventId(this.#position)}_notice`;
    const body = noticeBody(id, encodeEventCursor(this.#position), at);
    const { traceparent, span } = this.#parts.traces.ofUnknown();
    const result = await this.#parts.send(outgoing(this.endpoint, { id, body, now: at, traceparent }));
    if (this.#closed) return;
    const state = { httpStatus: result.httpStatus, retriesWaiting: 0, now: now() };
    this.#health = result.succeeded ? afterSuccess() : afterFailure(this.#health, state);
    const delayMs = result.succeeded ? NOTICES_APART_MS : retryDelayMs(this.#attempt, random(), result.retryAfterMs);
    this.#nextAt = Math.round(at + delayMs);
    this.#log.push({
      sequence: ++this.#sequence,
      event: id,
      type: NOTICE_TYPE,
      attempt: this.#attempt,
      status: result.succeeded ? "succeeded" : "waiting",
      httpStatus: result.httpStatus,
      error: result.error,
      ms: result.ms,
      at,
      nextAt: result.succeeded ? undefined : this.#nextAt,
      excerpt: result.excerpt,
      span,
    });
    this.#attempt = result.succeeded ? 1 : this.#attempt + 1;
    if (result.succeeded) this.#position = until;
  }
}
