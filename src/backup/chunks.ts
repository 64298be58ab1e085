/** The content of a file, chunk by chunk. */
export type Chunks = AsyncIterable<Uint8Array>;

export interface Sum {
  readonly bytes: number;
  readonly sha256: string;
}

/** Passes chunks on, and computes their size and SHA-256. */
export class Summed {
  readonly #hasher = new Bun.CryptoHasher("sha256");
  #bytes = 0;

  async *through(chunks: Chunks): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      this.#hasher.update(chunk);
      yield chunk;
    }
  }

  /** Called once all chunks have passed. */
  sum(): Sum {
    return { bytes: this.#bytes, sha256: this.#hasher.digest("hex") };
  }
}

/** A stream that asks for a chunk only when it is read. */
export function streamOf(chunks: Chunks): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
