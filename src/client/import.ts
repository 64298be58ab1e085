import { BULK_ERRORS } from "#contract/limits.ts";
import { BULK_MEDIA_TYPES, type BulkFormat } from "./bulk-format.ts";
import type { CallOptions } from "./call-options.ts";
import type { Connection } from "./connection.ts";
import { unlessAborted } from "./deadline.ts";
import { batchBody, batchesOf, type RecordBatch, sourceRecord } from "./record-batch.ts";
import { fetchedAhead } from "./stream.ts";

/** A record that the service refused. */
export interface RefusedRecord {
  /** The record's first line, counted from 1 as an editor does; for plants, the position counted from 1. */
  readonly line: number;
  /** The service's number, such as 40901. */
  readonly error: number;
  readonly message: string;
  /** The record as it was sent, without the end of its line. */
  readonly record: Uint8Array;
}

/** The outcome so far. Every record that is counted as created is on disk. */
export interface ImportCount {
  readonly created: number;
  /** The number of records whose plant already existed with the same name and tag. */
  readonly unchanged: number;
  readonly failed: number;
  /** The bytes and lines of the source up to the end of the last answered batch. */
  readonly bytes: number;
  readonly lines: number;
}

export interface ImportProgress extends ImportCount {
  /** The CSV header with its line break, byte for byte as in the source; empty if there is none. */
  readonly header: Uint8Array;
  /** All refused records of the batch that was just answered. */
  readonly refused: readonly RefusedRecord[];
}

export interface ImportSummary extends ImportProgress {
  /** The first 10,000 refused records; `onProgress` receives all of them. */
  readonly refused: readonly RefusedRecord[];
}

export interface ImportOptions extends CallOptions {
  /** Called after each batch of at most 10,000 records. The next one is sent when the returned promise has resolved. */
  readonly onProgress?: (progress: ImportProgress) => void | Promise<void>;
}

const REFUSED_KEPT_MAX = 10_000;
/** A batch has many records, and may take long on a slow connection. */
const BATCH_LIMITS = { tryTimeoutMs: 120_000, timeoutMs: 600_000 };

/** Sends one batch after the other. A batch whose answer was lost is sent again, since creates are idempotent. */
export async function importBytes(
  connection: Connection,
  bytes: AsyncGenerator<Uint8Array>,
  format: BulkFormat,
  { onProgress, ...options }: ImportOptions,
): Promise<ImportSummary> {
  const refusedFirst: RefusedRecord[] = [];
  let count: ImportCount = { created: 0, unchanged: 0, failed: 0, bytes: 0, lines: 0 };
  let header = new Uint8Array();
  const batches = fetchedAhead(batchesOf(bytes, format));
  try {
    for (;;) {
      const { done, value: batch } = await unlessAborted(batches.next(), options.signal);
      if (done) return { ...count, header, refused: refusedFirst };
      const answer = await sendBatch(connection, batch, format, { ...BATCH_LIMITS, ...options });
      header = batch.header;
      count = {
        created: count.created + answer.created,
        unchanged: count.unchanged + answer.unchanged,
        failed: count.failed + answer.failed,
        bytes: count.bytes + batch.bytes,
        lines: batch.linesEnded,
      };
      const refused = answer.errors.map(({ line, error, message }) => ({
        ...sourceRecord(batch, line),
        error,
        message,
      }));
      refusedFirst.push(...refused.slice(0, REFUSED_KEPT_MAX - refusedFirst.length));
      await onProgress?.({ ...count, header, refused });
    }
  } finally {
    batches.return(undefined).catch(() => {});
  }
}

interface BulkAnswer extends Pick<ImportCount, "created" | "unchanged" | "failed"> {
  readonly errors: readonly Omit<RefusedRecord, "record">[];
}

/**
 * An import that has begun waits longer, since its caller would have to begin again: about a minute of tries, in which a
 * service that restarts is back.
 */
function sendBatch(connection: Connection, batch: RecordBatch, format: BulkFormat, options: CallOptions) {
  const call = {
    method: "POST",
    path: `/plants?errors_max=${BULK_ERRORS.max}`,
    headers: { "Content-Type": BULK_MEDIA_TYPES[format] },
    body: batchBody(batch),
    repeatable: true,
    ...(batch.first ? {} : { retriesMax: 20 }),
  } as const;
  return connection.ask(call, options, readBulkAnswer);
}

function readBulkAnswer(json: string): BulkAnswer {
  const answer: BulkAnswer = JSON.parse(json);
  const { created, unchanged, failed, errors } = answer;
  if (![created, unchanged, failed].every(Number.isSafeInteger) || !Array.isArray(errors)) {
    throw new TypeError("The answer holds no count");
  }
  return answer;
}
