import { Signal } from "../signal.ts";

/** `fetch`, as far as these pages use it. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

const RETRY_MS = 2000;

/** Tracks if the service answers. After a request without an answer it is asked every two seconds until it answers again. */
export class ConnectionWatch {
  readonly lost = new Signal(false);
  readonly #fetch: Fetch;
  #retrying: ReturnType<typeof setTimeout> | undefined;

  constructor(send: Fetch) {
    this.#fetch = send;
  }

  reportLost(): void {
    this.lost.set(true);
    this.#retrying ??= setTimeout(() => void this.#ask(), RETRY_MS);
  }

  /** Asks at once, and so finds out whether there is an answer. */
  async retryNow(): Promise<void> {
    clearTimeout(this.#retrying);
    await this.#ask();
  }

  async #ask(): Promise<void> {
    this.#retrying = undefined;
    const answered = await this.#fetch("/healthz", { cache: "no-store" }).then(
      () => true,
      () => false,
    );
    this.lost.set(!answered);
    if (!answered) this.#retrying = setTimeout(() => void this.#ask(), RETRY_MS);
  }
}
