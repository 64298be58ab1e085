import type { EndpointHealth, EndpointProgress, LogEntry, Replay, Retry } from "#storage/webhook-progress.ts";
import type { AttemptResult } from "./attempt.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";

/** The outcomes of one endpoint's deliveries that have not been handed over for storing. */
export class UnsavedProgress {
  #positionTaken: bigint;
  #log: LogEntry[] = [];
  #retries = new Map<bigint, Retry>();
  #over = new Set<bigint>();
  #replays = new Map<string, Replay>();
  #hasChanged = false;
  #toldDisabled = false;

  constructor(position: bigint) {
    this.#positionTaken = position;
  }

  addAttempt(attempt: Omit<LogEntry, keyof AttemptResult | "status">, result: AttemptResult): void {
    const { succeeded, httpStatus, error, ms, excerpt } = result;
    const status = succeeded ? "succeeded" : attempt.nextAt === undefined ? "failed" : "waiting";
    this.#log.push({ ...attempt, status, httpStatus, error, ms, excerpt });
    this.#hasChanged = true;
  }

  /** Replaces the state of the same event's retry, also one that is over but was not handed over yet. */
  setRetry(retry: Retry): void {
    this.#over.delete(retry.number);
    this.#retries.set(retry.number, retry);
    this.#hasChanged = true;
  }

  endRetry(number: bigint): void {
    this.#retries.delete(number);
    this.#over.add(number);
    this.#hasChanged = true;
  }

  moveReplay(replay: Replay): void {
    this.#replays.set(replay.id, replay);
    this.#hasChanged = true;
  }

  /** The state that was last taken was not written, so it is handed over again. */
  takeAgain(): void {
    this.#hasChanged = true;
  }

  /** Everything since the last call; undefined if nothing has changed. */
  take(endpoint: HeldEndpoint, health: EndpointHealth, position: bigint): EndpointProgress | undefined {
    if (!this.#hasChanged && position === this.#positionTaken) return undefined;
    // One by one: before the first attempt `health` is the endpoint itself, with its old position and its secrets.
    const { status, reason, failingSince, failures, notBefore } = health;
    const progress = {
      endpoint: endpoint.id,
      revision: endpoint.revision,
      position,
      status,
      reason,
      failingSince,
      failures,
      notBefore,
      log: this.#log,
      retries: [...this.#retries.values()],
      over: [...this.#over],
      replays: [...this.#replays.values()],
      disabled: this.#disabledNow(endpoint, health),
    };
    this.#positionTaken = position;
    this.#log = [];
    this.#retries = new Map();
    this.#over = new Set();
    this.#replays = new Map();
    this.#hasChanged = false;
    return progress;
  }

  /** The account is told once that its endpoint was disabled. */
  #disabledNow({ account, url }: HeldEndpoint, { status }: EndpointHealth): EndpointProgress["disabled"] {
    if (status !== "disabled" || this.#toldDisabled) return undefined;
    this.#toldDisabled = true;
    return { account, url };
  }
}
