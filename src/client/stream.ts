/** Items as they arrive. Nothing is sent before the first one is requested, and leaving the loop ends the request. */
export class ItemStream<Item> implements AsyncIterable<Item> {
  readonly #read: () => AsyncGenerator<Item>;

  constructor(read: () => AsyncGenerator<Item>) {
    this.#read = read;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Item> {
    return this.#read();
  }

  /** The items as a ReadableStream, which fetches only when it is read. */
  readable(): ReadableStream<Item> {
    const items = this.#read();
    return new ReadableStream<Item>(
      {
        async pull(controller) {
          const { done, value } = await items.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        async cancel() {
          await items.return(undefined);
        },
      },
      { highWaterMark: 0 },
    );
  }
}

/** The items of a source. Safari's streams have a reader, but are not iterable. */
export async function* itemsOf<Item>(
  source: Iterable<Item> | AsyncIterable<Item> | ReadableStream<Item>,
): AsyncGenerator<Item> {
  if (!("getReader" in source)) return yield* source;
  const reader = source.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
