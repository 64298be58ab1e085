import { BULK_ERRORS } from "#contract/limits.ts";
import { BULK_MEDIA_TYPES, type BulkFormat } from "./bulk-format.ts";
import { batchRecordsMax } from "./bulk-rate.ts";
import type { CallOptions } from "./call-options.ts";
import type { Connection } from "./connection.ts";
import { unlessAborted } from "./deadline.ts";
import { batchBody, batchesOf, type RecordBatch, sourceRecord } from "./record-batch.ts";
import { blobOf, bytesOf, fetchedAhead, type TextSource } from "./stream.ts";

/** A record that the service refused. */
export interface RefusedRecord {
  /** The record's first line, counted from 1 as an editor does; for plants and ids, the position counted from 1. */
  readonly line: number;
  /** The service's number, such as 40901. */
  readonly error: number;
  readonly message: string;
  /** The record as it was sent, without the end of its line; empty after a dry run. */
  readonly record: Uint8Array;
}

/** How far a bulk call has come. */
export interface BulkReached {
  readonly failed: number;
  /** The bytes and lines of the source up to the end of the last answered batch. */
  readonly bytes: number;
  readonly lines: number;
}

export interface BulkProgress extends BulkReached {
  /** The CSV header with its line break, byte for byte as in the source; empty if there is none. */
  readonly header: Uint8Array;
  /** All refused records of the batch that was just answered; of a summary, the first 10,000 of all. */
  readonly refused: readonly RefusedRecord[];
}

type Counts<Name extends string> = Readonly<Record<Name, number>>;

/** An operation that takes any number of records, and counts what became of them under these names. */
export interface BulkCall<Name extends string> {
  readonly path: string;
  readonly query?: object;
  readonly counts: readonly Name[];
  /** True to write nothing, and count what would be. */
  readonly dryRun: boolean | undefined;
}

export interface BulkOptions<Progress> extends CallOptions {
  /** Called after each batch of at most 10,000 records. The next one is sent when the returned promise has resolved. */
  readonly onProgress?: (progress: Progress) => void | Promise<void>;
}

const REFUSED_KEPT_MAX = 10_000;
/** A batch has many records, and may take long on a slow connection. */
const BATCH_LIMITS = { tryTimeoutMs: 120_000, timeoutMs: 600_000 };
/** A dry run is one request, however long. */
const DRY_RUN_LIMITS = { tryTimeoutMs: 600_000, timeoutMs: 600_000 };

export async function sendInBulk<Name extends string>(
  connection: Connection,
  source: TextSource,
  format: BulkFormat,
  call: BulkCall<Name>,
  options: BulkOptions<Counts<Name> & BulkProgress>,
): Promise<Counts<Name> & BulkProgress> {
  return call.dryRun
    ? sendDryRun(connection, await blobOf(source), format, call, options)
    : sendInBatches(connection, bytesOf(source), format, call, options);
}

/** Sends one batch after the other. A batch whose answer was lost is sent again, since sending all of it again is safe. */
async function sendInBatches<Name extends string>(
  connection: Connection,
  bytes: AsyncGenerator<Uint8Array>,
  format: BulkFormat,
  call: BulkCall<Name>,
  { onProgress, ...options }: BulkOptions<Counts<Name> & BulkProgress>,
): Promise<Counts<Name> & BulkProgress> {
  const refusedFirst: RefusedRecord[] = [];
  let sum: Counts<Name> & BulkReached = { ...counted(call), failed: 0, bytes: 0, lines: 0 };
  let header = new Uint8Array();
  const limits = { ...BATCH_LIMITS, ...options };
  const recordsMax = () => batchRecordsMax(connection.recordsPerSecond, limits.tryTimeoutMs);
  const batches = fetchedAheadButFirst(batchesOf(bytes, format, recordsMax));
  try {
    for (;;) {
      const { done, value: batch } = await unlessAborted(batches.next(), options.signal);
      if (done) return { ...sum, header, refused: refusedFirst };
      const answer = await sendBatch(connection, batch, format, call, limits);
      header = batch.header;
      sum = {
        ...counted(call, (name) => sum[name] + answer[name]),
        failed: sum.failed + answer.failed,
        bytes: sum.bytes + batch.bytes,
        lines: batch.linesEnded,
      };
      const refused = answer.errors.map(({ line, error, message }) => ({
        ...sourceRecord(batch, line),
        error,
        message,
      }));
      refusedFirst.push(...refused.slice(0, REFUSED_KEPT_MAX - refusedFirst.length));
      await onProgress?.({ ...sum, header, refused });
    }
  } finally {
    batches.return(undefined).catch(() => {});
  }
}

/** The answer to the first batch tells how large the next one may be. */
async function* fetchedAheadButFirst(batches: AsyncGenerator<RecordBatch>): AsyncGenerator<RecordBatch> {
  const first = await batches.next();
  if (first.done) return;
  yield first.value;
  yield* fetchedAhead(batches);
}

/** Sends all records as one request that writes nothing, so that each meets what those before it would have done. */
async function sendDryRun<Name extends string>(
  connection: Connection,
  body: Blob,
  format: BulkFormat,
  call: BulkCall<Name>,
  { onProgress, ...options }: BulkOptions<Counts<Name> & BulkProgress>,
): Promise<Counts<Name> & BulkProgress> {
  const dry = { ...call, query: { ...call.query, dry_run: true } };
  const answer = await askInBulk(connection, { body }, format, dry, { ...DRY_RUN_LIMITS, ...options });
  const refused = answer.errors.map((each) => ({ ...each, record: new Uint8Array() }));
  const { failed } = answer;
  const whole = { failed, bytes: body.size, lines: 0, header: new Uint8Array(), refused };
  const done = { ...counted(call, (name) => answer[name]), ...whole };
  await onProgress?.(done);
  return done;
}

/**
 * A bulk call that has begun waits longer, since its caller would have to begin again: about a minute of tries, in which a
 * service that restarts is back.
 */
function sendBatch<Name extends string>(
  connection: Connection,
  batch: RecordBatch,
  format: BulkFormat,
  call: BulkCall<Name>,
  options: CallOptions,
) {
  const more = batch.first ? {} : { retriesMax: 20 };
  return askInBulk(connection, { body: batchBody(batch), ...more }, format, call, options);
}

type BulkAnswer<Name extends string> = Counts<Name> & {
  readonly failed: number;
  readonly errors: readonly Omit<RefusedRecord, "record">[];
};

function askInBulk<Name extends string>(
  connection: Connection,
  sent: { readonly body: Blob; readonly retriesMax?: number },
  format: BulkFormat,
  { path, query, ...call }: BulkCall<Name>,
  options: CallOptions,
): Promise<BulkAnswer<Name>> {
  const request = {
    method: "POST",
    path,
    query: { ...query, errors_max: BULK_ERRORS.max },
    headers: { "Content-Type": BULK_MEDIA_TYPES[format] },
    repeatable: true,
    ...sent,
  } as const;
  return connection.ask(request, options, (json) => {
    const answer = JSON.parse(json);
    const counts = { ...counted(call, (name) => answer[name] ?? 0), failed: answer.failed as number };
    if (!Object.values<unknown>(counts).every(Number.isSafeInteger) || !Array.isArray(answer.errors))
      throw new TypeError("The answer holds no count");
    return { ...counts, errors: answer.errors };
  });
}

function counted<Name extends string>(
  { counts }: Pick<BulkCall<Name>, "counts">,
  count: (name: Name) => number = () => 0,
): Counts<Name> {
  return Object.fromEntries(counts.map((name) => [name, count(name)])) as Counts<Name>;
}
