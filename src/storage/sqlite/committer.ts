import type { Database, Statement } from "bun:sqlite";
import type { CompiledQuery, QueryResult } from "kysely";
import { Failure, storageUnavailable } from "#core/failure.ts";
import { jittered } from "#core/jitter.ts";
import type { Observer } from "#core/observer.ts";
import type { RequestSpan } from "#core/trace.ts";
import { type Atomically, compiledSteps } from "../database-access.ts";
import { contentOf, PlantsWrite, type QueuedWrite, WRITE_SIZE_UNITS, WriteQueue } from "../write-queue.ts";
import { executeCompiled } from "./compiled-query.ts";
import { isBusy, isStorageError, LOCK_RETRIES, toWriteFailure } from "./errors.ts";
import { SET_MARK } from "./log-mark.ts";
import { PlantWriter } from "./plant-writer.ts";

const BATCH_LENGTH_MAX = 512;
/** The text of one transaction. A MiB takes the serving thread 20 ms. */
const BATCH_SIZE_UNITS_MAX = 128 * 1024;
/** A write with more text has a transaction of its own. */
const SMALL_SIZE_UNITS_MAX = BATCH_SIZE_UNITS_MAX / 4;
/** Small writes of others have twice the time of a large one to themselves after it. */
const REST_AFTER_LARGE = 2;
const GROWING_LENGTH_MIN = 4;

/** Is called after the transaction is on disk. */
type Answer = () => void;

/** The account of a write, and how much text it reads and writes. */
export interface Weight extends Pick<QueuedWrite, "account" | "size"> {
  /** True if it throws a Failure only before it has written anything. */
  readonly refusesFirst?: boolean;
}

/** Any other write than creates, of which either everything is stored or nothing. It runs without an await. */
interface Work extends QueuedWrite, Weight {
  write(now: number): Answer;
}

type Unit = PlantsWrite | Work;

/**
 * Group commit (as in DeWitt et al., "Implementation techniques for main memory database systems", 1984): all units of
 * work that arrive while a transaction is written go into the next one, and each is answered only after the fsync of
 * its own transaction. The transaction runs synchronously on the serving thread, without an await; a writer thread
 * gained nothing. Large writes take turns by account, one in a transaction and between small ones, so that they hold
 * nobody up for longer than one takes. Nothing can write outside the committer's transaction: `PlantWriter` is reached through a unit of work
 * alone.
 */
export class Committer {
  readonly #statements: Record<"begin" | "commit" | "rollback" | "mark" | "release" | "undo" | "setMark", Statement>;
  readonly #changes: Statement<{ changes: number }, []>;
  readonly #queue: WriteQueue<Unit>;
  readonly #plants: PlantWriter;
  /** The units of a batch that failed, which are tried one by one. */
  #suspects: readonly Unit[] = [];
  readonly #large = new LargeTurns();
  #rest: Timer | undefined;
  #scheduled = false;
  /** True from the COMMIT of a batch on. */
  #committing = false;
  #idle: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly observer: Observer,
    private readonly onCommit: () => void,
    keepsEvents = true,
    private readonly onRefused: (error: unknown) => void = () => {},
  ) {
    this.#queue = new WriteQueue(observer);
    this.#plants = new PlantWriter(database, keepsEvents);
    this.#statements = {
      begin: database.prepare("BEGIN IMMEDIATE"),
      commit: database.prepare("COMMIT"),
      rollback: database.prepare("ROLLBACK"),
      mark: database.prepare("SAVEPOINT part"),
      release: database.prepare("RELEASE part"),
      undo: database.prepare("ROLLBACK TO part"),
      setMark: database.prepare(SET_MARK),
    };
    this.#changes = database.prepare("SELECT total_changes() AS changes");
  }

  add(unit: Unit): void {
    if (!this.#queue.push(unit)) return;
    if (isLarge(unit)) this.#large.waiting++;
    if (!this.#scheduled) this.#schedule(0);
  }

  /**
   * Runs any number of statements as one unit, synchronously: if `work` throws, everything it wrote is rolled back and its
   * neighbours stay.
   */
  run<T>(
    work: (plants: PlantWriter, now: number) => T,
    span?: RequestSpan,
    weight: Weight = { size: WRITE_SIZE_UNITS },
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const write = (now: number): Answer => {
        const result = work(this.#plants, now);
        return () => resolve(result);
      };
      this.add({ write, reject, span, ...weight, rows: 1, since: performance.now() });
    });
  }

  execute(query: CompiledQuery): Promise<QueryResult<unknown>> {
    return this.run(() => executeCompiled(this.database, query));
  }

  /** Runs statements as one unit in the next transaction, with its fsync. */
  readonly atomically: Atomically = async (steps) => {
    const compiled = compiledSteps(steps);
    await this.run(() => {
      for (const { query, unchanged } of compiled) {
        const { rows, numAffectedRows = rows.length } = executeCompiled(this.database, query);
        if (!numAffectedRows) unchanged?.();
      }
    });
  };

  get rowsQueued(): number {
    return this.#queue.rowsQueued;
  }

  /** Resolves when every accepted unit is on disk or refused. Nothing is accepted from the call on. */
  async close(): Promise<void> {
    this.#queue.close();
    if (this.#queue.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  #schedule(delayMs: number): void {
    this.#scheduled = true;
    if (delayMs === 0) this.#flushSoon();
    else setTimeout(() => this.#flush(), delayMs);
  }

  /** While many units arrive, those of one more turn of the event loop join the batch. */
  #flushSoon(): void {
    const before = this.#queue.length;
    setImmediate(() => {
      const { length } = this.#queue;
      const isGrowing = length > before && length >= GROWING_LENGTH_MIN && length < BATCH_LENGTH_MAX;
      if (isGrowing) setImmediate(() => this.#flush());
      else this.#flush();
    });
  }

  #flush(): void {
    this.#scheduled = false;
    const batch = this.#nextBatch();
    if (batch.length === 0) {
      clearTimeout(this.#rest);
      // Small ones that come meanwhile do not wait for it.
      this.#rest = setTimeout(() => this.#scheduled || this.#schedule(0), this.#large.restMs);
      return;
    }
    let answers: Answer[];
    try {
      answers = this.#transact(batch);
    } catch (error) {
      this.#fail(batch, error);
      return;
    }
    this.#settled(batch);
    for (const answer of answers) answer();
    this.#afterwards(0);
    this.onCommit();
  }

  /** Empty while only large ones wait, which have to leave small ones some time. */
  #nextBatch(): readonly Unit[] {
    if (this.#suspects.length > 0) return this.#suspects.slice(0, 1);
    if (this.#large.waiting === 0) return this.#queue.first(BATCH_LENGTH_MAX, BATCH_SIZE_UNITS_MAX);
    let size = 0;
    const small = this.#queue.chosen(BATCH_LENGTH_MAX, (unit) => {
      const fits = !isLarge(unit) && size + unit.size <= BATCH_SIZE_UNITS_MAX;
      if (fits) size += unit.size;
      return fits;
    });
    if (this.#large.mustWait(small)) return small;
    const large = this.#large.next((fits) => this.#queue.chosen(1, (unit) => isLarge(unit) && fits(unit)));
    return large.length > 0 ? large : small;
  }

  /**
   * Handles a batch that was rolled back. It is retried if another process is writing. Otherwise its units are tried one by
   * one, so that only the one at fault is refused; if the storage itself failed, all of them are refused.
   */
  #fail(batch: readonly Unit[], error: unknown): void {
    const undone = this.#rollBack();
    if (undone && isBusy(error)) {
      this.#waitForLock(error);
      return;
    }
    if (undone && batch.length > 1 && !isStorageError(error)) {
      this.#suspects = batch;
    } else {
      this.#settled(batch);
      if (isStorageError(error)) this.onRefused(error);
      const failure = toWriteFailure(error, this.#committing);
      for (const unit of batch) unit.reject(failure);
    }
    this.#afterwards(0);
  }

  #settled(batch: readonly Unit[]): void {
    this.#queue.drop(batch);
    this.#forget(batch);
  }

  /** These are no longer in the queue. */
  #forget(units: readonly Unit[]): void {
    if (this.#suspects.length > 0) this.#suspects = this.#suspects.filter((unit) => !units.includes(unit));
    if (this.#large.waiting > 0) this.#large.waiting -= units.filter(isLarge).length;
  }

  #afterwards(delayMs: number): void {
    if (this.#queue.length > 0) this.#schedule(delayMs);
    else this.#idle?.();
  }

  #transact(batch: readonly Unit[]): Answer[] {
    const startedAt = performance.now();
    this.#committing = false;
    this.#statements.begin.run();
    const changes = this.#changes.get()?.changes;
    this.#plants.begin();
    const now = Date.now();
    const answers: Answer[] = [];
    for (let start = 0; start < batch.length; ) {
      const creates = createsFrom(batch, start);
      if (creates.length > 0) answers.push(...this.#create(creates, now));
      else answers.push(this.#attempt(batch[start] as Work, now));
      start += creates.length || 1;
    }
    this.#plants.finish();
    // One that has changed nothing needs no fsync.
    if (this.#changes.get()?.changes !== changes) this.#statements.setMark.run();
    const commitStart = performance.now();
    this.#committing = true;
    this.#statements.commit.run();
    const commitMs = performance.now() - commitStart;
    this.observer.batchCommitted({ ...contentOf(batch), commitMs, startedAt });
    this.#large.ended(batch, startedAt);
    return answers;
  }

  #create(creates: readonly PlantsWrite[], now: number): Answer[] {
    return this.#plants.create(creates, now).map((outcomes, at) => () => creates[at]?.settle(outcomes));
  }

  #attempt(unit: Work, now: number): Answer {
    return unit.refusesFirst ? this.#attemptPlainly(unit, now) : this.#attemptApart(unit, now);
  }

  /** Runs without a savepoint, which would copy every page. */
  #attemptPlainly(unit: Work, now: number): Answer {
    try {
      return unit.write(now);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return () => unit.reject(error);
    }
  }

  #attemptApart(unit: Work, now: number): Answer {
    const restore = this.#plants.mark();
    this.#statements.mark.run();
    try {
      return unit.write(now);
    } catch (error) {
      if (isStorageError(error) || !this.database.inTransaction) throw error;
      this.#statements.undo.run();
      restore();
      return () => unit.reject(error);
    } finally {
      if (this.database.inTransaction) this.#statements.release.run();
    }
  }

  /**
   * Returns false if the rollback failed too, as on a broken disk. The next transaction then cannot begin, fails, and
   * tries again.
   */
  #rollBack(): boolean {
    try {
      if (this.database.inTransaction) this.#statements.rollback.run();
      return true;
    } catch {
      return false;
    }
  }

  /** Another process is writing. The batch is tried again by a timer; units that have waited too long are refused. */
  #waitForLock(error: unknown): void {
    this.observer.count("plantstore_lock_wait_retries_total");
    const late = this.#queue.takeOlder(performance.now() - LOCK_RETRIES.msMax);
    if (late.length > 0) this.onRefused(error);
    for (const unit of late) unit.reject(storageUnavailable(error));
    this.#forget(late);
    this.#afterwards(jittered(LOCK_RETRIES.delayMs, Math.random()));
  }
}

function isLarge({ size }: Unit): boolean {
  return size > SMALL_SIZE_UNITS_MAX;
}

/**
 * The turns of large writes: by account, each after the small writes that wait, and not while those of others have the time
 * that the last large one took from them. While nobody else writes, they follow each other.
 */
class LargeTurns {
  /** Units in the queue. */
  waiting = 0;
  /** The accounts that had their turn, until all that wait had theirs. */
  readonly #served = new Set<Unit["account"]>();
  #last: Unit["account"];
  #wasLast = false;
  /** On the clock of performance.now(). */
  #othersAt = Number.NEGATIVE_INFINITY;
  #restsUntil = 0;

  get restMs(): number {
    return Math.max(0, this.#restsUntil - performance.now());
  }

  /** `small` are those that wait as well. */
  mustWait(small: readonly Unit[]): boolean {
    const isOfOthers = ({ account }: Unit) => account !== undefined && account !== this.#last;
    if (small.some(isOfOthers)) this.#othersAt = performance.now();
    return this.restMs > 0 || (this.#wasLast && small.length > 0);
  }

  next(choose: (fits: (unit: Unit) => boolean) => readonly Unit[]): readonly Unit[] {
    const next = choose(({ account }) => !this.#served.has(account));
    if (next.length > 0 || this.#served.size === 0) return next;
    this.#served.clear();
    return choose(() => true);
  }

  /** Is told of every batch that was written. */
  ended(batch: readonly Unit[], startedAt: number): void {
    const [unit] = this.waiting > 0 && batch.length === 1 ? batch : [];
    this.#wasLast = unit !== undefined && isLarge(unit);
    if (!unit || !this.#wasLast) return;
    this.#served.add(unit.account);
    this.#last = unit.account;
    const now = performance.now();
    const restMs = REST_AFTER_LARGE * (now - startedAt);
    this.#restsUntil = this.#othersAt > startedAt - restMs ? now + restMs : 0;
  }
}

/** The creates next to each other, which are written together, without a savepoint. */
function createsFrom(batch: readonly Unit[], start: number): readonly PlantsWrite[] {
  const creates: PlantsWrite[] = [];
  for (let unit = batch[start]; unit instanceof PlantsWrite; unit = batch[start + creates.length]) creates.push(unit);
  return creates;
}
