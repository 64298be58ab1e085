import type { CallOptions } from "./call-options.ts";
import type { NewPlant } from "./plant.ts";

export type BulkFormat = "ndjson" | "csv";

/** Plants one after the other. */
export type PlantSource = Iterable<NewPlant> | AsyncIterable<NewPlant> | ReadableStream<NewPlant>;

/** NDJSON or CSV as it stands in a file. */
export type TextSource = string | Uint8Array | Blob | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** A record that the service refused. */
export interface RefusedRecord {
  /** The record's first line, counted from 1 as an editor does; of plants, the position counted from 1. */
  readonly line: number;
  /** The service's number, as in 40901. */
  readonly error: number;
  readonly message: string;
  /** The record as it was sent, without its line's end. */
  readonly record: Uint8Array;
}

/** What became of the records: those of one slice, or of all so far. */
export interface ImportCount {
  readonly created: number;
  /** Those that the store had already, just so. */
  readonly unchanged: number;
  readonly failed: number;
}

/** How far an import got; everything that it counts is on disk. */
export interface ImportProgress extends ImportCount {
  /** Bytes of the source that are dealt with. */
  readonly bytes: number;
  /** Lines of the source that are dealt with. */
  readonly lines: number;
  /** What the slice that was just answered refused, all of it. */
  readonly refused: readonly RefusedRecord[];
}

export interface ImportSummary extends ImportCount {
  readonly bytes: number;
  readonly lines: number;
  /** The first 10,000 refused records; `onProgress` sees all. */
  readonly refused: readonly RefusedRecord[];
}

export interface ImportOptions extends CallOptions {
  /** Of a source that is text. Plants need none. */
  readonly format?: BulkFormat;
  /** Called after each slice of at most 10,000 records; the import goes on when what it returns has resolved. */
  readonly onProgress?: (progress: ImportProgress) => void | Promise<void>;
}
