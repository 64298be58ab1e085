import { Signal } from "./signal.ts";

/** The part of `fetch` that these pages use. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** Tracks whether the service answers. After a request without an answer it is asked every two seconds. */
export class ConnectionWatch {
  readonly lost = new Signal(false);
  readonly #fetch: Fetch;
  #retrying: ReturnType<typeof setTimeout> | undefined;
  #asking: Promise<void> | undefined;

  constructor(send: Fetch) {
    this.#fetch = send;
  }

  reportLost(): void {
    this.lost.set(true);
    if (!this.#asking) this.#retrying ??= setTimeout(() => void this.retryNow(), 2000);
  }

  /** Asks at once, unless an answer is already being awaited. */
  retryNow(): Promise<void> {
    clearTimeout(this.#retrying);
    this.#retrying = undefined;
    this.#asking ??= this.#ask();
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const answered = await this.#fetch("/healthz", { cache: "no-store" }).then(
      () => true,
      () => false,
    );
    this.#asking = undefined;
    if (answered) this.lost.set(false);
    else this.reportLost();
  }
}
