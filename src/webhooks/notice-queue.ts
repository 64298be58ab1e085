import { encodeEventCursor } from "#contract/event-cursor.ts";
import { NOTICE_TYPE } from "#contract/v1/event.ts";
import { eventId } from "#core/event.ts";
import type { EndpointHealth, EndpointProgress } from "#storage/webhook-progress.ts";
import type { AttemptResult } from "./attempt.ts";
import { afterFailure, afterSuccess, retryDelayMs } from "./endpoint-health.ts";
import {
  type DeliveryParts,
  type EndpointQueue,
  goesOn,
  type HeldEndpoint,
  outgoing,
  readFeed,
} from "./held-endpoint.ts";
import { UnsavedProgress } from "./unsaved-progress.ts";

const NOTICES_APART_MS = 1000;
const AGAIN_MS = 1000;

/**
 * Notifies one endpoint, at most once a second, that there are events, and from which cursor on. Each successful notice
 * moves the position to the end; a failed one is sent again on schedule, with the same id and cursor.
 */
export class NoticeQueue implements EndpointQueue {
  endpoint: HeldEndpoint;
  readonly #parts: DeliveryParts;
  readonly #unsaved: UnsavedProgress;
  #health: EndpointHealth;
  #position: bigint;
  #until: bigint;
  #nextAt: number;
  #attempt = 1;
  #sequence: number | undefined;
  #working = false;
  #closed = false;
  #cancelTimer: () => void = () => {};

  constructor(endpoint: HeldEndpoint, parts: DeliveryParts) {
    this.endpoint = endpoint;
    this.#parts = parts;
    this.#health = endpoint;
    this.#nextAt = endpoint.notBefore;
    this.#attempt = endpoint.failures + 1;
    this.#position = this.#until = endpoint.position;
    this.#unsaved = new UnsavedProgress(endpoint.position);
  }

  update(endpoint: HeldEndpoint): boolean {
    if (!goesOn(this.endpoint, endpoint)) return false;
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
        if (!(await this.#hasEvents())) continue;
        const isOver = await this.#parts.turn(this.endpoint.account, () => this.#notify());
        if (!isOver) this.#nextAt = this.#parts.now() + AGAIN_MS;
      }
    } catch (error) {
      this.#parts.failed(error);
      this.#nextAt = this.#parts.now() + AGAIN_MS;
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
    if (this.#closed) return;
    const { now, work } = this.#parts;
    this.#sequence ??= await work.lastSequence(this.endpoint.id);
    const at = now();
    const until = this.#until;
    const id = `${eventId(this.#position)}_notice`;
    const { noticeBody } = this.#parts.shapeOf(this.endpoint.version);
    const body = noticeBody(id, encodeEventCursor(this.#position), at);
    const { traceparent, span } = this.#parts.traces.ofUnknown();
    const result = await this.#parts.send(outgoing(this.endpoint, { id, body, now: at, traceparent }));
    if (this.#closed) return;
    const attempt = this.#attempt;
    if (result.succeeded) this.#succeed(until, at);
    else this.#fail(result);
    const nextAt = result.succeeded ? undefined : this.#nextAt;
    const sequence = ++this.#sequence;
    const entry = { sequence, event: id, type: NOTICE_TYPE, attempt, isRetry: attempt > 1, at, nextAt, span };
    this.#unsaved.addAttempt(entry, result);
  }

  #succeed(until: bigint, at: number): void {
    this.#health = afterSuccess(this.#health);
    this.#nextAt = Math.max(at + NOTICES_APART_MS, this.#health.notBefore);
    this.#attempt = 1;
    this.#position = until;
  }

  #fail({ httpStatus, retryAfterMs }: AttemptResult): void {
    const [now, random] = [this.#parts.now(), this.#parts.random()];
    const isProbe = this.#health.status === "paused";
    const health = afterFailure(this.#health, { httpStatus, retryAfterMs, isProbe, retriesWaiting: 0, now, random });
    this.#nextAt = Math.max(now + retryDelayMs(this.#attempt, random, retryAfterMs), health.notBefore);
    this.#health = { ...health, notBefore: this.#nextAt };
    this.#attempt++;
  }
}
