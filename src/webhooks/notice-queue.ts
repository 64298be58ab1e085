import { encodeEventCursor } from "#contract/event-cursor.ts";
import { NOTICE_TYPE } from "#contract/v1/event.ts";
import { eventId } from "#core/event.ts";
import type { AttemptResult } from "./attempt.ts";
import { afterFailure, afterSuccess, mustWait, retryDelayMs } from "./endpoint-health.ts";
import { EndpointQueue } from "./endpoint-queue.ts";
import { type DeliveryParts, type HeldEndpoint, readFeed } from "./held-endpoint.ts";

/** Between two notices, and before a notice that could not be begun. */
const APART_MS = 1000;

/**
 * Notifies one endpoint, at most once a second, that there are events, and from which cursor on. Each successful notice
 * moves the position to the end; a failed one is sent again on schedule, with the same id and cursor.
 */
export class NoticeQueue extends EndpointQueue {
  protected position: bigint;
  #nextAt: number;
  #attempt: number;
  #working = false;

  constructor(endpoint: HeldEndpoint, parts: DeliveryParts) {
    super(endpoint, parts);
    this.position = endpoint.position;
    this.#nextAt = endpoint.notBefore;
    this.#attempt = endpoint.failures + 1;
  }

  protected work(): void {
    if (!this.#working) void this.#notifyOfAll();
  }

  async #notifyOfAll(): Promise<void> {
    this.#working = true;
    try {
      while (this.#hasWork() && !mustWait(this.#nextAt, this.parts.now())) {
        if (!(await this.#hasEvents())) continue;
        await this.parts.turn(this.endpoint.account, () => this.#notify());
      }
    } catch (error) {
      this.parts.failed(error);
      this.#nextAt = this.parts.now() + APART_MS;
    }
    this.#working = false;
    this.cancelTimer();
    if (this.#hasWork()) this.cancelTimer = this.parts.at(this.#nextAt, () => this.work());
  }

  #hasWork(): boolean {
    return !this.isClosed && this.health.status !== "disabled" && this.position < this.until;
  }

  /** Skips events that the endpoint does not ask for. */
  async #hasEvents(): Promise<boolean> {
    const { types } = this.endpoint;
    const range = { after: this.position, until: this.until, limit: 1, types };
    const { events, next } = await readFeed(this.parts, this.endpoint, range);
    if (events.length === 0) this.position = next;
    return events.length > 0;
  }

  async #notify(): Promise<void> {
    if (this.isClosed) return;
    await this.readSequence();
    const { until } = this;
    const event = `${eventId(this.position)}_notice`;
    const { noticeBody } = this.parts.shapeOf(this.endpoint.version);
    const body = noticeBody(event, encodeEventCursor(this.position), this.parts.now());
    const attempt = this.#attempt;
    const entry = { event, type: NOTICE_TYPE, attempt, isRetry: attempt > 1 };
    await this.attempt({ ...entry, body, trace: this.parts.traces.ofUnknown() }, (result, at) => {
      if (!result.succeeded) return this.#fail(result);
      this.health = afterSuccess(this.health);
      this.#nextAt = Math.max(at + APART_MS, this.health.notBefore);
      this.#attempt = 1;
      this.position = until;
      return undefined;
    });
  }

  /** Returns the time of the next attempt. */
  #fail({ httpStatus, retryAfterMs }: AttemptResult): number {
    const [now, random] = [this.parts.now(), this.parts.random()];
    const isProbe = this.health.status === "paused";
    const health = afterFailure(this.health, { httpStatus, retryAfterMs, isProbe, retriesWaiting: 0, now, random });
    this.#nextAt = Math.max(now + retryDelayMs(this.#attempt, random, retryAfterMs), health.notBefore);
    this.health = { ...health, notBefore: this.#nextAt };
    this.#attempt++;
    return this.#nextAt;
  }
}
