import { Failure } from "#core/failure.ts";

const DISCARDED_BYTES_MAX = 64 * 1024 * 1024;
const DISCARDING_MS_MAX = 2000;

/** A body in chunks. Who stops reading it half-way does not close the connection: it has to carry the answer. */
export class BodyChunks implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array> | undefined;

  constructor(body: ReadableStream<Uint8Array> | null) {
    this.#chunks = body?.[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#next() };
  }

  /** Reads on for a while before a refusal: a client that is still sending would not see the answer. */
  async discardRest(): Promise<void> {
    const deadline = performance.now() + DISCARDING_MS_MAX;
    let size = 0;
    while (size < DISCARDED_BYTES_MAX && performance.now() < deadline) {
      const { done, value } = await this.#next();
      if (done) return;
      size += value.length;
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#chunks) return { done: true, value: undefined };
    try {
      return await this.#chunks.next();
    } catch (cause) {
      throw new Failure("body-not-json", "The body broke off before its end", { cause });
    }
  }
}
