import type { EndpointHealth, EndpointProgress, LogEntry, Replay, Retry } from "#storage/webhook-progress.ts";
import type { AttemptResult } from "./attempt.ts";
import type { AttemptTrace } from "./delivery-traces.ts";
import { type DeliveryParts, type HeldEndpoint, outgoing } from "./held-endpoint.ts";

/** A message that is sent, and its entry in the log as far as it is known before. */
interface Attempt extends Pick<LogEntry, "event" | "type" | "attempt" | "isRetry"> {
  readonly body: string;
  readonly trace: AttemptTrace;
}

/** Delivers to one endpoint, and collects what is to be stored of that. Its two kinds are the two ways of delivery. */
export abstract class EndpointQueue {
  endpoint: HeldEndpoint;
  protected health: EndpointHealth;
  protected until: bigint;
  /** Requests that are being sent. */
  protected sending = 0;
  protected isClosed = false;
  protected cancelTimer: () => void = () => {};
  #sequence: number | undefined;
  #positionTaken: bigint;
  #hasChanged = false;
  #toldDisabled = false;
  // Outcomes that were not handed over for storing yet.
  #log: LogEntry[] = [];
  #attempted: Retry[] = [];
  #retries: Retry[] = [];
  #replayed = new Map<bigint, Retry>();
  #replays = new Map<string, Replay>();

  constructor(
    endpoint: HeldEndpoint,
    protected readonly parts: DeliveryParts,
  ) {
    const { status, reason, failingSince, failures, notBefore, position } = endpoint;
    this.endpoint = endpoint;
    this.health = { status, reason, failingSince, failures, notBefore };
    this.until = this.#positionTaken = position;
  }

  /** Everything up to this number was attempted. */
  protected abstract readonly position: bigint;
  /** Does what can be done now, if that is not under way. */
  protected abstract work(): void;

  /** Takes over changes. */
  update(endpoint: HeldEndpoint): void {
    this.endpoint = endpoint;
  }

  /** There may be events up to this number. */
  wake(until: bigint): void {
    if (until > this.until) this.until = until;
    this.work();
  }

  close(): void {
    this.isClosed = true;
    this.cancelTimer();
  }

  /** The progress since the last call; undefined if there is none. */
  takeProgress(): EndpointProgress | undefined {
    const { position } = this;
    if (!this.#hasChanged && position === this.#positionTaken) return undefined;
    const progress = {
      ...this.health,
      endpoint: this.endpoint.id,
      revision: this.endpoint.revision,
      position,
      log: this.#log,
      attempted: this.#attempted,
      retries: this.#retries,
      replayed: [...this.#replayed.values()],
      replays: [...this.#replays.values()],
      disabled: this.#disabledNow(),
    };
    this.#positionTaken = position;
    this.#log = [];
    this.#attempted = [];
    this.#retries = [];
    this.#replayed = new Map();
    this.#replays = new Map();
    this.#hasChanged = false;
    return progress;
  }

  /** The last progress taken is on disk. With `again` its state was not written and must be handed over again. */
  settled(again: boolean): void {
    if (again) this.#hasChanged = true;
  }

  /** Must have resolved before the first attempt. */
  protected async readSequence(): Promise<void> {
    this.#sequence ??= await this.parts.work.lastSequence(this.endpoint.id);
  }

  /** Sends a request and enters the attempt. `settle` records the outcome, and returns the time of the next attempt. */
  protected async attempt(
    { body, trace, ...entry }: Attempt,
    settle: (result: AttemptResult, at: number) => number | undefined,
  ): Promise<void> {
    const at = this.parts.now();
    const { traceparent, span } = trace;
    const request = outgoing(this.endpoint, { id: entry.event, body, at, traceparent });
    this.sending++;
    const result = await this.parts.send(request).finally(() => {
      this.sending--;
    });
    if (this.isClosed) return;
    const nextAt = settle(result, at);
    const { succeeded, httpStatus, error, ms, excerpt } = result;
    const status = succeeded ? "succeeded" : nextAt === undefined ? "failed" : "waiting";
    const sequence = (this.#sequence ?? 0) + 1;
    this.#sequence = sequence;
    this.#log.push({ ...entry, sequence, at, nextAt, span, status, httpStatus, error, ms, excerpt });
    this.#hasChanged = true;
  }

  /** An attempt at an event has ended, whose row was `before`, and which waits for another attempt if there is an `after`. */
  protected endAttempt(before: Retry | undefined, after: Retry | undefined): void {
    if (before) this.#attempted.push(before);
    if (after) this.#retries.push(after);
    this.#hasChanged = true;
  }

  protected replay(retry: Retry): void {
    this.#replayed.set(retry.number, retry);
    this.#hasChanged = true;
  }

  protected moveReplay(replay: Replay): void {
    this.#replays.set(replay.id, replay);
    this.#hasChanged = true;
  }

  /** The account is told once that its endpoint was disabled. */
  #disabledNow(): EndpointProgress["disabled"] {
    if (this.health.status !== "disabled" || this.#toldDisabled) return undefined;
    this.#toldDisabled = true;
    const { account, url } = this.endpoint;
    return { account, url };
  }
}
