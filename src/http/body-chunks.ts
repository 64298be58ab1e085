import { Failure } from "#core/failure.ts";
import type { RequestContext } from "./request-context.ts";

export const DISCARDED_BYTES_MAX = 64 * 1024 * 1024;
const DISCARDING_MS_MAX = 2000;

type Chunk = IteratorResult<Uint8Array>;

/** A body in chunks. A reader that stops early does not close the connection, which has to carry the answer. */
export class BodyChunks implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array> | undefined;
  readonly #willClose: boolean;
  #waitingSince: number | undefined;
  #refuse: ((failure: Failure) => void) | undefined;

  constructor({ arrived }: Pick<RequestContext, "arrived">) {
    this.#chunks = arrived.body?.[Symbol.asyncIterator]();
    this.#willClose = /\bclose\b/i.test(arrived.headers.get("connection") ?? "");
  }

  /** The time since the sender last sent something, while it was being waited for. */
  silentMs(now: number): number {
    return this.#waitingSince === undefined ? 0 : now - this.#waitingSince;
  }

  /** Rejects the chunk that is being waited for. */
  interrupt(failure: Failure): void {
    this.#refuse?.(failure);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#next() };
  }

  /** Reads on for a while before a refusal: a client that is still sending would not see the answer. */
  async discardRest(msMax = DISCARDING_MS_MAX): Promise<void> {
    const deadline = performance.now() + msMax;
    const timer = setTimeout(() => this.interrupt(new Failure("request-timeout", "")), msMax);
    let size = 0;
    try {
      while (size < DISCARDED_BYTES_MAX && performance.now() < deadline) {
        const { done, value } = await this.#next();
        if (done) return;
        size += value.length;
      }
    } catch {
      // The sender left, or was silent for too long.
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Like `discardRest`, for a client that asked to close the connection, which the runtime does with the answer. On
   * other connections the runtime itself reads on, and the next request follows in step.
   */
  async discardBeforeClose(msMax?: number): Promise<void> {
    if (this.#willClose) await this.discardRest(msMax);
  }

  #next(): Promise<Chunk> {
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
