import { type NewPlant, newPlantJson, type PlantUpdate } from "./plant.ts";

export type Items<Item> = Iterable<Item> | AsyncIterable<Item> | ReadableStream<Item>;
/** Plants in sequence. */
export type PlantSource = Items<NewPlant>;
/** A sequence of updates for an import with `existing: "update"`. */
export type UpdateSource = Items<PlantUpdate>;

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
export async function* itemsOf<Item>(source: Items<Item>): AsyncGenerator<Item> {
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

/** The whole of a source. A Blob, as of a file, is not read into memory. */
export async function blobOf(source: TextSource): Promise<Blob> {
  if (source instanceof Blob) return source;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const bytes of bytesOf(source)) parts.push(bytes.slice());
  return new Blob(parts);
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
export function ndjsonOf(plants: PlantSource | UpdateSource): AsyncGenerator<Uint8Array> {
  return linesOf<PlantUpdate>(plants, newPlantJson);
}

export async function* linesOf<Item>(items: Items<Item>, line: (item: Item) => string): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let lines: string[] = [];
  for await (const item of itemsOf(items)) {
    lines.push(`${line(item)}\n`);
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
    // No await: a stalled source would never end.
    items.return(undefined).catch(() => {});
  }
}
