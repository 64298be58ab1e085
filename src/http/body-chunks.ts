import { Failure } from "#core/failure.ts";
import { ALL, THREAD_TIME } from "#load/limit-groups.ts";
import type { ArrivedRequest } from "./arrived-request.ts";

/** A client that is still sending never sees its refusal, so the body is read on. It keeps the thread busy for a twentieth of the time. */
const DISCARDED_IN_A_SECOND = THREAD_TIME.row(
  "refused bodies that are read on, in a second",
  ALL,
  { all: 128 * 1024 * 1024, unit: "bytes" },
  "read later",
);

export const DISCARDED_BYTES_MAX = 64 * 1024 * 1024;

type Chunk = IteratorResult<Uint8Array>;

/** The earliest time for the next chunk of any refused body, on the clock of performance.now(). */
let nextDiscardAt = 0;

/**
 * Waits after chunks that are not used, at most until the deadline, so that the bodies of many refused requests do not
 * keep the thread busy.
 */
async function pauseAfterDiscarding(bytes: number, deadline: number): Promise<void> {
  const now = performance.now();
  nextDiscardAt = Math.max(now, nextDiscardAt) + (1000 * bytes) / DISCARDED_IN_A_SECOND.all;
  const pauseMs = Math.min(nextDiscardAt, deadline) - now;
  // Timers are exact to a millisecond, and many chunks are small.
  if (pauseMs >= 5) await Bun.sleep(pauseMs);
}

/** A body in chunks. A reader that stops early does not close the connection, which has to carry the answer. */
export class BodyChunks implements AsyncIterable<Uint8Array> {
  readonly #raw: Request;
  #chunks: AsyncIterator<Uint8Array> | undefined;
  readonly #willClose: boolean;
  #waitingSince: number | undefined;
  #refuse: ((failure: Failure) => void) | undefined;

  constructor({ raw }: Pick<ArrivedRequest, "raw">) {
    this.#raw = raw;
    this.#willClose = /\bclose\b/i.test(raw.headers.get("connection") ?? "");
  }

  /** The time since the sender last sent something, while it was being waited for. */
  silentMs(now: number): number {
    return this.#waitingSince === undefined ? 0 : now - this.#waitingSince;
  }

  interrupt(failure: Failure): void {
    this.#refuse?.(failure);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#next() };
  }

  /**
   * Reads on for a while before a refusal: a client that is still sending would not see the answer. Resolves with false
   * if the body has not ended. The answer must then close the connection, since the runtime would read on for ever.
   */
  async discardRest(msMax = 30_000): Promise<boolean> {
    const deadline = performance.now() + msMax;
    const interrupt = () => this.interrupt(new Failure("request-timeout", ""));
    let timer: Timer | undefined;
    let size = 0;
    try {
      while (size < DISCARDED_BYTES_MAX && performance.now() < deadline) {
        // A sender that pauses for longer may be waiting for its answer.
        timer = setTimeout(interrupt, Math.min(msMax, 2000));
        const { done, value } = await this.#next();
        clearTimeout(timer);
        if (done) return true;
        size += value.length;
        await pauseAfterDiscarding(value.length, deadline);
      }
    } catch {
      // The sender left, or was silent for too long.
    } finally {
      clearTimeout(timer);
    }
    return false;
  }

  /**
   * Like `discardRest`, for a client that asked to close the connection, which the runtime does with the answer. On
   * other connections the runtime itself reads on, and the next request follows in step.
   */
  async discardBeforeClose(msMax = 2000): Promise<void> {
    if (this.#willClose) await this.discardRest(msMax);
  }

  #next(): Promise<Chunk> {
    // Created on first use: a body that was never read counts as unread (see LateAnswers).
    this.#chunks ??= this.#raw.body?.[Symbol.asyncIterator]();
    const chunks = this.#chunks;
    if (!chunks) return Promise.resolve({ done: true, value: undefined });
    this.#waitingSince = performance.now();
    return new Promise<Chunk>((resolve, reject) => {
      this.#refuse = reject;
      chunks.next().then(resolve, (cause) => {
        reject(new Failure("body-not-json", "The body broke off before its end", { cause }));
      });
    }).finally(() => {
      this.#waitingSince = undefined;
    });
  }
}
