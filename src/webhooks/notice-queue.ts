import { encodeEventCursor } from "#contract/event-cursor.ts";
import { NOTICE_TYPE } from "#contract/v1/event.ts";
import { eventId } from "#core/event.ts";
import type { EndpointProgress } from "#storage/webhook-progress.ts";
import { afterFailure, afterSuccess, type HealthState } from "./endpoint-health.ts";
import { type DeliveryParts, type EndpointQueue, type HeldEndpoint, outgoing } from "./held-endpoint.ts";
import { readFeed } from "./read-feed.ts";
import { retryDelayMs } from "./schedule.ts";
import { UnsavedProgress } from "./unsaved-progress.ts";

const NOTICES_APART_MS = 1000;
const READ_AGAIN_MS = 1000;

/**
 * Notifies one endpoint, at most once a second, that there are events, and from which cursor on. Each successful notice
 * moves the position to the end; a failed one is sent again on schedule, with the same id and cursor.
 */
export class NoticeQueue implements EndpointQueue {
  endpoint: HeldEndpoint;
  readonly #parts: DeliveryParts;
  readonly #unsaved: UnsavedProgress;
  #health: HealthState;
  #position: bigint;
  #until: bigint;
  #nextAt = 0;
  #attempt = 1;
  #sequence: number | undefined;
  #working = false;
  #closed = false;
  #cancelTimer: () => void = () => {};

  constructor(endpoint: HeldEndpoint, parts: DeliveryParts) {
    this.endpoint = endpoint;
    this.#parts = parts;
    this.#health = endpoint;
    this.#attempt = endpoint.failures + 1;
    this.#position = this.#until = endpoint.position;
    this.#unsaved = new UnsavedProgress(endpoint.position);
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
    return this.#unsaved.take(this.endpoint, this.#health, this.#position);
  }

  settled(again: boolean): void {
    if (again) this.#unsaved.takeAgain();
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
    if (this.#closed || this.#health.status === "disabled" || this.#position >= this.#until) return;
    this.#cancelTimer = this.#parts.at(this.#nextAt, () => this.wake(this.#until));
  }

  /** Skips events that the endpoint does not ask for. */
  async #hasEvents(): Promise<boolean> {
    const { types } = this.endpoint;
    const range = { after: this.#position, until: this.#until, limit: 1, types };
    const { events, next } = await readFeed(this.#parts, this.endpoint, range);
    if (events.length === 0) this.#position = next;
    return events.length > 0;
  }

  async #notify(): Promise<void> {
    const { now, work, random } = this.#parts;
    this.#sequence ??= await work.lastSequence(this.endpoint.id);
    const at = now();
    const until = this.#until;
    const id = `${eventId(this.#position)}_notice`;
    const { noticeBody } = this.#parts.shapeOf(this.endpoint.version);
    const body = noticeBody(id, encodeEventCursor(this.#position), at);
    const { traceparent, span } = this.#parts.traces.ofUnknown();
    const result = await this.#parts.send(outgoing(this.endpoint, { id, body, now: at, traceparent }));
    if (this.#closed) return;
    const state = { httpStatus: result.httpStatus, retriesWaiting: 0, now: now() };
    this.#health = result.succeeded ? afterSuccess() : afterFailure(this.#health, state);
    const delayMs = result.succeeded ? NOTICES_APART_MS : retryDelayMs(this.#attempt, random(), result.retryAfterMs);
    this.#nextAt = Math.round(at + delayMs);
    this.#unsaved.addAttempt({
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
