import { type NewPlant, newPlantJson } from "./plant.ts";

/** Plants in sequence. */
export type PlantSource = Iterable<NewPlant> | AsyncIterable<NewPlant> | ReadableStream<NewPlant>;

/** The contents of an NDJSON or CSV file. */
export type TextSource = string | Uint8Array | Blob | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

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

export async function* bytesOf(source: TextSource): AsyncGenerator<Uint8Array> {
  if (typeof source === "string") yield new TextEncoder().encode(source);
  else if (source instanceof Uint8Array) yield source;
  else yield* itemsOf<Uint8Array>(source instanceof Blob ? source.stream() : source);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Plants as NDJSON, one on each line. */
export async function* ndjsonOf(plants: PlantSource): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let lines: string[] = [];
  for await (const plant of itemsOf(plants)) {
    lines.push(`${newPlantJson(plant)}\n`);
    if (lines.length < 500) continue;
    yield encoder.encode(lines.join(""));
    lines = [];
  }
  yield encoder.encode(lines.join(""));
}

/** The same items, each fetched while the caller processes the one before. */
export async function* fetchedAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  const fetchNext = () => {
    const fetched = items.next();
    // A failure is thrown when its turn comes; until then it must not count as unhandled.
    fetched.catch(() => {});
    return fetched;
  };
  let next = fetchNext();
  try {
    for (let fetched = await next; !fetched.done; fetched = await next) {
      next = fetchNext();
      yield fetched.value;
    }
  } finally {
    // Not awaited, since a stalled source would never end.
    items.return(undefined).catch(() => {});
  }
}
