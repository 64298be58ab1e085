import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";
import { notReached } from "./network-failure.ts";

/** The longest time that setTimeout accepts (24 days); it fires at once for a longer one. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The promise, unless the signal aborts first; then its reason is thrown at once. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Resolves after that time, at most after 24 days; rejects with the signal's reason if it aborts first. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, TIMER_MS_MAX));
  });
  try {
    await unlessAborted(passed, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** The time limit of one try. Its signal aborts when the time is over or the caller's signal aborts. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
  #ms: number;
  readonly #url: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, url: string, callerSignal?: AbortSignal) {
    this.#ms = Math.max(0, ms);
    this.#url = url;
    this.#callerSignal = callerSignal;
    if (callerSignal?.aborted) this.#stop();
    callerSignal?.addEventListener("abort", this.#stop);
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the full time again, or another time from now on. */
  restart(ms = this.#ms): void {
    this.#ms = ms;
    this.pause();
    if (this.#ms <= TIMER_MS_MAX) this.#timer = setTimeout(this.#expire, this.#ms);
  }

  /** Stops the clock until the next restart; the caller's signal still aborts. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Must be called when nothing waits any more. */
  clear(): void {
    this.pause();
    this.#callerSignal?.removeEventListener("abort", this.#stop);
  }

  /** Waits for a part of the exchange with the service. A network failure is thrown as a PlantstoreUnreachable. */
  async reach<T>(part: Promise<T>): Promise<T> {
    try {
      return await this.race(part);
    } catch (error) {
      if (this.signal.aborted || error instanceof PlantstoreError || error instanceof PlantstoreUnreachable)
        throw error;
      throw notReached(this.#url, error);
    }
  }

  /** The promise, unless the time runs out or the caller's signal aborts first. */
  async race<T>(promise: Promise<T>): Promise<T> {
    try {
      return await unlessAborted(promise, this.signal);
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error;
    }
  }

  readonly #stop = (): void => this.#controller.abort(this.#callerSignal?.reason);

  readonly #expire = (): void => {
    const message = `${this.#url} did not answer within ${Math.round(this.#ms)} ms`;
    this.#controller.abort(new PlantstoreUnreachable("timeout", message));
  };
}
