import type { Doer } from "#core/event-actor.ts";
import { type Failure, unavailable } from "#core/failure.ts";
import type { Observer } from "#core/observer.ts";
import { type AccountNumber, type CreateOutcome, type NewPlant, textUnits } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import { tokenEnded } from "#core/token.ts";
import type { RequestSpan } from "#core/trace.ts";
import { LimitGroup } from "#load/limit-row.ts";

/** First come, first served, but large ones on PostgreSQL take turns by account; each with its text and 64 units of two bytes. */
const QUEUED_WRITES = new LimitGroup(
  "the writer's queue",
  "plantstore_write_queue_length",
  "503",
  "bench/create.ts",
).row("writes that wait", "account", { each: 12_288, all: 16_384 });
const QUEUED_TEXT = new LimitGroup("the writer's queue", "plantstore_write_queue_bytes", "503", "bench/import.ts").row(
  "text of writes that wait",
  "account",
  { each: 96 * 1024 * 1024, all: 128 * 1024 * 1024, unit: "bytes" },
);

/** Counted for each waiting write in addition to its text, so that many small writes are bounded too. */
export const WRITE_SIZE_UNITS = 64;
const BYTES_PER_UNIT = 2;
/** An account alone may fill `each` of the queue. */
const SHARE_OF_FREE = QUEUED_WRITES.each / (QUEUED_WRITES.all - QUEUED_WRITES.each);
/** The largest write that shares a batch: a name of 340 kB would raise PostgreSQL's cost for all of it from 0.9 to 4.5 ms. */
export const SMALL_SIZE_UNITS_MAX = 4096;

export interface QueuedWrite {
  /** Undefined for work of the service itself. */
  readonly account?: AccountNumber;
  /** The text in UTF-16 units, plus WRITE_SIZE_UNITS. */
  readonly size: number;
  /** The number of rows that it adds to a batch. */
  readonly rows: number;
  /** True if it has so much text that batches of usual writes leave it out. */
  readonly isLarge?: boolean;
  /** The time of queueing, on the clock of `performance.now()`. */
  readonly since: number;
  /** The span of the writing request, if it is traced. */
  readonly span: RequestSpan | undefined;
  reject(error: unknown): void;
}

export function accountRemoved(): Failure {
  return tokenEnded("The account of this token was removed; nothing was kept");
}

/** Creates of one caller, in order, which are stored or refused together. */
export class PlantsWrite implements QueuedWrite {
  readonly kind = "create";
  readonly rows: number;
  readonly size: number;
  readonly isLarge: boolean;
  readonly since = performance.now();

  constructor(
    readonly account: AccountNumber,
    readonly plants: readonly NewPlant[],
    readonly span: RequestSpan | undefined,
    readonly resolve: (outcomes: CreateOutcome[]) => void,
    readonly reject: (error: unknown) => void,
    /** The person who creates them; undefined for a program. */
    readonly by?: Doer,
  ) {
    this.rows = plants.length;
    let size = WRITE_SIZE_UNITS;
    for (const plant of plants) size += textUnits(plant);
    this.size = size;
    this.isLarge = size > SMALL_SIZE_UNITS_MAX;
  }

  /** Undefined if the account was removed. Nothing is stored then, since nothing would ever remove it. */
  settle(outcomes: CreateOutcome[] | undefined): void {
    if (outcomes === undefined) this.reject(accountRemoved());
    else this.resolve(outcomes);
  }
}

/** Creates through a committer. Who did them is stored only with the feed of changes. */
export function plantCreates(
  committer: { add(write: PlantsWrite): void },
  keepsEvents = true,
): Pick<PlantRecords, "create" | "createMany"> {
  const kept = (by: Doer | undefined) => (keepsEvents ? by : undefined);
  return {
    create: (account, plant, span, by) =>
      new Promise((resolve, reject) => {
        const answer = ([outcome]: CreateOutcome[]) => resolve(outcome as CreateOutcome);
        committer.add(new PlantsWrite(account, [plant], span, answer, reject, kept(by)));
      }),
    createMany: (account, plants, span, by) =>
      new Promise((resolve, reject) =>
        committer.add(new PlantsWrite(account, plants, span, resolve, reject, kept(by))),
      ),
  };
}

/**
 * Writes that wait for their transaction: a bounded queue, in the order in which they came. An account that has three
 * times as much in it as is still free gets no more, so that it never fills the queue by itself.
 */
export class WriteQueue<Write extends QueuedWrite> {
  #writes: Write[] = [];
  #size = 0;
  #rows = 0;
  #rowsQueued = 0;
  #closed = false;

  constructor(private readonly observer: Observer) {
    observer.gauge("plantstore_write_queue_length", () => this.#writes.length);
    observer.gauge("plantstore_write_queue_bytes", () => this.#size * BYTES_PER_UNIT);
  }

  get length(): number {
    return this.#writes.length;
  }

  /** The rows of all writes that were ever accepted. */
  get rowsQueued(): number {
    return this.#rowsQueued;
  }

  /** The rows of all waiting writes that are not large. */
  get rows(): number {
    return this.#rows;
  }

  /** Returns false if the write was refused because the queue is full or closed. */
  push(write: Write): boolean {
    const refusal = this.#refusal(write);
    if (refusal) {
      this.observer.count("plantstore_write_queue_refused_total");
      write.reject(refusal);
      return false;
    }
    this.#writes.push(write);
    this.#size += write.size;
    if (!write.isLarge) this.#rows += write.rows;
    this.#rowsQueued += write.rows;
    return true;
  }

  /** Takes the writes that `fits` accepts, each after all that came before it. */
  shift(fits: (write: Write) => boolean): Write[] {
    const taken: Write[] = [];
    const left: Write[] = [];
    for (const write of this.#writes) (fits(write) ? taken : left).push(write);
    return this.#removed(taken, left);
  }

  /** The writes at the front, with at most so much text unless it is one, which stay in the queue until `drop`. */
  first(countMax: number, sizeMax: number): readonly Write[] {
    let count = 0;
    let size = 0;
    for (const write of this.#writes) {
      size += write.size;
      if (count === countMax || (size > sizeMax && count > 0)) break;
      count++;
    }
    return this.#writes.slice(0, count);
  }

  /** The first ones that `fits` accepts, which stay as with `first`. */
  chosen(countMax: number, fits: (write: Write) => boolean): readonly Write[] {
    return [...this.#writes.values().filter(fits).take(countMax)];
  }

  /** Removes writes that are settled, which are in the order of the queue. */
  drop(settled: readonly Write[]): void {
    const { length } = settled;
    const areFirst = this.#writes[0] === settled[0] && this.#writes[length - 1] === settled[length - 1];
    if (areFirst) this.#removed(settled, this.#writes.slice(length));
    else this.shift(Set.prototype.has.bind(new Set(settled)));
  }

  /** Takes all writes that were queued before that time. */
  takeOlder(since: number): Write[] {
    const kept = this.#writes.findIndex((write) => write.since > since);
    const count = kept < 0 ? this.#writes.length : kept;
    return this.#removed(this.#writes.slice(0, count), this.#writes.slice(count));
  }

  /** Every write is refused from now on. */
  close(): void {
    this.#closed = true;
  }

  #removed<Removed extends readonly Write[]>(writes: Removed, left: Write[]): Removed {
    this.#writes = left;
    for (const { size, rows, isLarge } of writes) {
      this.#size -= size;
      if (!isLarge) this.#rows -= rows;
    }
    return writes;
  }

  #refusal(write: Write): Failure | undefined {
    if (this.#closed) return unavailable("The service is shutting down; nothing was kept. Try again.");
    const lengthFree = QUEUED_WRITES.all - this.#writes.length;
    const sizeFree = QUEUED_TEXT.all / BYTES_PER_UNIT - this.#size;
    // Otherwise no account can have so much.
    const isBusy = this.#writes.length >= QUEUED_WRITES.each || this.#size * BYTES_PER_UNIT >= QUEUED_TEXT.each;
    const isFull =
      lengthFree < 1 ||
      sizeFree < write.size ||
      (isBusy && this.#has(write.account, SHARE_OF_FREE * lengthFree, SHARE_OF_FREE * sizeFree));
    return isFull ? unavailable("The service is overloaded; nothing was kept. Try again.") : undefined;
  }

  /** True if the account has that many writes waiting, or that much text. */
  #has(account: AccountNumber | undefined, length: number, size: number): boolean {
    let ownLength = 0;
    let ownSize = 0;
    for (const write of this.#writes) {
      if (account === undefined || write.account !== account) continue;
      ownLength++;
      ownSize += write.size;
    }
    return ownLength >= length || ownSize >= size;
  }
}

/** The rows of a batch, and the spans of its traced requests. */
export function contentOf(batch: readonly QueuedWrite[]): { readonly rows: number; readonly spans: RequestSpan[] } {
  const spans: RequestSpan[] = [];
  let rows = 0;
  for (const write of batch) {
    rows += write.rows;
    if (write.span) spans.push(write.span);
  }
  return { rows, spans };
}
