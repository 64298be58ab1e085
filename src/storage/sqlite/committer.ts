import type { Database, Statement } from "bun:sqlite";
import { storageUnavailable } from "#core/failure.ts";
import { jittered } from "#core/jitter.ts";
import type { Observer } from "#core/observer.ts";
import type { RequestSpan } from "#core/trace.ts";
import { type Atomically, compiledSteps } from "../atomically.ts";
import { contentOf, WRITE_SIZE_UNITS, WriteQueue } from "../write-queue.ts";
import { isBusy, isStorageError, LOCK_RETRIES, toFailure } from "./errors.ts";
import type { Unit, UnitKind, Writers } from "./unit.ts";

const BATCH_LENGTH_MAX = 512;
const GROWING_LENGTH_MIN = 4;

type Refused = Map<Unit, unknown>;

/**
 * Group commit (as in DeWitt et al., "Implementation techniques for main memory database systems", 1984): all units of
 * work that arrive while a transaction is written go into the next one, and each is answered only after the fsync of
 * its own transaction. The transaction runs synchronously on the serving thread, without an await; a writer thread
 * gained nothing. The writers are reached only through a unit of work, so nothing can write outside the committer's
 * transaction.
 */
export class Committer {
  readonly #statements: Record<"begin" | "commit" | "rollback" | "mark" | "release" | "undo", Statement>;
  readonly #queue: WriteQueue<Unit>;
  readonly #single: UnitKind;
  readonly #compound: UnitKind;
  /** This many units at the front are tried one by one. */
  #suspects = 0;
  #scheduled = false;
  #idle: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly writers: Writers,
    private readonly observer: Observer,
    private readonly onCommit: () => void,
  ) {
    this.#queue = new WriteQueue(observer);
    this.#statements = {
      begin: database.prepare("BEGIN IMMEDIATE"),
      commit: database.prepare("COMMIT"),
      rollback: database.prepare("ROLLBACK"),
      mark: database.prepare("SAVEPOINT part"),
      release: database.prepare("RELEASE part"),
      undo: database.prepare("ROLLBACK TO part"),
    };
    this.#single = { isolated: true, write: writeEach };
    this.#compound = {
      isolated: true,
      write: (units: readonly Work<unknown>[], ...to) => this.#undoable(units, ...to),
    };
  }

  add(unit: Unit): void {
    if (this.#queue.push(unit) && !this.#scheduled) this.#schedule(0);
  }

  /**
   * Runs any number of statements as one unit: if `work` throws, everything it wrote is rolled back and its neighbours
   * stay.
   */
  run<T>(work: (writers: Writers, now: number) => T, span?: RequestSpan): Promise<T> {
    return this.#add(this.#compound, work, span);
  }

  /** Runs a unit of one statement, which the engine itself rolls back if it fails, so that it needs no savepoint. */
  runSingle<T>(work: (writers: Writers, now: number) => T): Promise<T> {
    return this.#add(this.#single, work);
  }

  #add<T>(kind: UnitKind, work: (writers: Writers, now: number) => T, span?: RequestSpan): Promise<T> {
    return new Promise((resolve, reject) => this.add(new Work(kind, work, span, resolve, reject)));
  }

  /** Runs statements as one unit in the next transaction, with its fsync. */
  readonly atomically: Atomically = async (steps) => {
    const compiled = compiledSteps(steps);
    await this.run((writers) => {
      for (const { query, unchanged } of compiled) {
        const { rows, numAffectedRows = rows.length } = writers.execute(query);
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
    const batch = this.#queue.first(this.#suspects > 0 ? 1 : BATCH_LENGTH_MAX);
    let refused: Refused;
    try {
      refused = this.#transact(batch);
    } catch (error) {
      this.#fail(batch, error);
      return;
    }
    this.#settled(batch);
    for (const unit of batch) {
      if (refused.size > 0 && refused.has(unit)) unit.reject(refused.get(unit));
      else unit.answer();
    }
    this.#afterwards(0);
    this.onCommit();
  }

  /**
   * Nothing of the batch is stored. It is tried again if another process is writing. Otherwise its units are tried one
   * by one, so that only the one at fault is refused; but if the storage itself failed, all of them are refused.
   */
  #fail(batch: readonly Unit[], error: unknown): void {
    const undone = this.#rollBack();
    if (undone && isBusy(error)) {
      this.#waitForLock(error);
      return;
    }
    if (undone && batch.length > 1 && !isStorageError(error)) {
      this.#suspects = batch.length;
    } else {
      this.#settled(batch);
      if (isStorageError(error)) this.observer.storageWritable(false);
      for (const unit of batch) unit.reject(toFailure(error));
    }
    this.#afterwards(0);
  }

  #settled(batch: readonly Unit[]): void {
    this.#queue.drop(batch.length);
    this.#suspects = Math.max(0, this.#suspects - batch.length);
  }

  #afterwards(delayMs: number): void {
    if (this.#queue.length > 0) this.#schedule(delayMs);
    else this.#idle?.();
  }

  /** Returns the errors of isolated units that were refused. */
  #transact(batch: readonly Unit[]): Refused {
    const refused: Refused = new Map();
    const startedAt = performance.now();
    this.#statements.begin.run();
    this.writers.plants.begin();
    const now = Date.now();
    for (let start = 0; start < batch.length; ) {
      const units = sameKind(batch, start);
      this.#write(units, now, refused);
      start += units.length;
    }
    this.writers.plants.finish();
    const commitStart = performance.now();
    this.#statements.commit.run();
    const commitMs = performance.now() - commitStart;
    this.observer.batchCommitted({ ...contentOf(batch), commitMs, startedAt });
    return refused;
  }

  #write(units: readonly Unit[], now: number, refused: Refused): void {
    const [first] = units as [Unit];
    const { kind } = first;
    try {
      kind.write(units, this.writers, now);
    } catch (error) {
      if (!kind.isolated || isStorageError(error) || !this.database.inTransaction) throw error;
      refused.set(first, error);
    }
  }

  #undoable(units: readonly Work<unknown>[], writers: Writers, now: number): void {
    const restore = writers.plants.mark();
    this.#statements.mark.run();
    try {
      writeEach(units, writers, now);
    } catch (error) {
      if (this.database.inTransaction) this.#statements.undo.run();
      restore();
      throw error;
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
    this.observer.lockRetried();
    const late = this.#queue.takeOlder(performance.now() - LOCK_RETRIES.msMax);
    if (late.length > 0) this.observer.storageWritable(false);
    for (const unit of late) unit.reject(storageUnavailable(error));
    this.#afterwards(jittered(LOCK_RETRIES.delayMs, Math.random()));
  }
}

/** A unit that is not written together with others. */
class Work<T> implements Unit {
  readonly size = WRITE_SIZE_UNITS;
  readonly rows = 1;
  readonly since = performance.now();
  #result: T | undefined;

  constructor(
    readonly kind: UnitKind,
    readonly work: (writers: Writers, now: number) => T,
    readonly span: RequestSpan | undefined,
    readonly resolve: (result: T) => void,
    readonly reject: (error: unknown) => void,
  ) {}

  write(writers: Writers, now: number): void {
    this.#result = this.work(writers, now);
  }

  answer(): void {
    this.resolve(this.#result as T);
  }
}

function writeEach(units: readonly Work<unknown>[], writers: Writers, now: number): void {
  for (const unit of units) unit.write(writers, now);
}

/** The units of the same kind from `start` on; an isolated one stands alone. */
function sameKind(batch: readonly Unit[], start: number): readonly Unit[] {
  const kind = batch[start]?.kind;
  let end = start + 1;
  if (!kind?.isolated) while (end < batch.length && batch[end]?.kind === kind) end++;
  return start === 0 && end === batch.length ? batch : batch.slice(start, end);
}
