import type { Database, Statement } from "bun:sqlite";
import type { AccountNumber, CreateOutcome, NewPlant } from "#core/plant.ts";
import { type QueuedWrite, WRITE_SIZE_UNITS, WriteQueue } from "../write-queue.ts";
import { isBusy, isStorageError, storageUnavailable, toFailure } from "./errors.ts";
import { PlantWriter } from "./plant-writer.ts";
import type { Creation } from "./rows-insert.ts";
import { LOCK_WAIT_MS_MAX, retryDelayMs } from "./when-not-busy.ts";

const BATCH_LENGTH_MAX = 512;

/** Runs as one inside the transaction. */
interface Unit extends QueuedWrite {
  /** What it throws of its own has left nothing behind, and is answered to its caller alone. */
  readonly isolated: boolean;
  apply(writer: PlantWriter, now: number): void;
  /** Called after the transaction is on disk. */
  resolve(): void;
}

interface Create extends QueuedWrite, Creation {
  outcome: CreateOutcome | undefined;
  resolve(outcome: CreateOutcome): void;
}

type Write = Unit | Create;
type Refused = Map<Write, unknown>;

/**
 * Group commit (as in DeWitt et al., "Implementation techniques for main memory database systems", 1984): all writes
 * that arrive while one transaction is written go into the next, and each is answered only after the fsync of its own.
 * The transaction runs in one go on the thread that serves, with no await inside: a writer thread gained nothing.
 */
export class Committer {
  readonly #database: Database;
  readonly #writer: PlantWriter;
  readonly #statements: Record<"begin" | "commit" | "rollback" | "mark" | "release" | "undo", Statement>;
  readonly #onCommit: () => void;
  readonly #queue = new WriteQueue<Write>();
  /** So many writes at the front are tried one by one. */
  #suspects = 0;
  #scheduled = false;
  #idle: (() => void) | undefined;

  constructor(database: Database, onCommit: () => void) {
    this.#database = database;
    this.#onCommit = onCommit;
    this.#writer = new PlantWriter(database);
    this.#statements = {
      begin: database.prepare("BEGIN IMMEDIATE"),
      commit: database.prepare("COMMIT"),
      rollback: database.prepare("ROLLBACK"),
      mark: database.prepare("SAVEPOINT part"),
      release: database.prepare("RELEASE part"),
      undo: database.prepare("ROLLBACK TO part"),
    };
  }

  create(account: AccountNumber, plant: NewPlant): Promise<CreateOutcome> {
    return new Promise((resolve, reject) => {
      const size = WRITE_SIZE_UNITS + plant.name.length + (plant.tag?.length ?? 0);
      this.#enqueue({ account, plant, outcome: undefined, size, since: performance.now(), resolve, reject });
    });
  }

  /** All of them together, as one create after the other. */
  createMany(account: AccountNumber, plants: readonly NewPlant[]): Promise<CreateOutcome[]> {
    const creations = plants.map((plant) => ({ account, plant }));
    const size = plants.reduce((sum, { name, tag }) => sum + name.length + (tag?.length ?? 0), 0);
    return this.#unit(size, false, (writer, now) => writer.createMany(creations, now));
  }

  /** Any other write as one synchronous unit: if it throws, all that it wrote is undone and its neighbours stay. */
  run<T>(unit: (writer: PlantWriter, now: number) => T): Promise<T> {
    return this.#unit(WRITE_SIZE_UNITS, true, (writer, now) => this.#inSavepoint(writer, () => unit(writer, now)));
  }

  #unit<T>(size: number, isolated: boolean, unit: (writer: PlantWriter, now: number) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: T;
      this.#enqueue({
        size,
        since: performance.now(),
        isolated,
        apply: (writer, now) => {
          result = unit(writer, now);
        },
        resolve: () => resolve(result),
        reject,
      });
    });
  }

  /** Resolves when everything accepted is on disk or refused; from then on nothing is accepted. */
  async close(): Promise<void> {
    this.#queue.close();
    if (this.#queue.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  #enqueue(write: Write): void {
    if (this.#queue.push(write) && !this.#scheduled) this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    this.#scheduled = true;
    if (delayMs === 0) setImmediate(() => this.#flush());
    else setTimeout(() => this.#flush(), delayMs);
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
    for (const write of batch) answer(write, refused);
    this.#afterwards(0);
    this.#onCommit();
  }

  /**
   * Nothing of the batch is kept. It is tried again if another process writes just now; one by one, if what failed was
   * no trouble of the storage, so that only the write that it came from is refused; else each is refused.
   */
  #fail(batch: readonly Write[], error: unknown): void {
    const undone = this.#rollBack();
    if (undone && isBusy(error)) {
      this.#waitForLock(error);
      return;
    }
    if (undone && batch.length > 1 && !isStorageError(error)) {
      this.#suspects = batch.length;
    } else {
      this.#settled(batch);
      for (const write of batch) write.reject(toFailure(error));
    }
    this.#afterwards(0);
  }

  #settled(batch: readonly Write[]): void {
    this.#queue.drop(batch.length);
    this.#suspects = Math.max(0, this.#suspects - batch.length);
  }

  #afterwards(delayMs: number): void {
    if (this.#queue.length > 0) this.#schedule(delayMs);
    else this.#idle?.();
  }

  /** Returns why some units were refused on their own account. */
  #transact(batch: readonly Write[]): Refused {
    const refused: Refused = new Map();
    this.#statements.begin.run();
    this.#writer.begin();
    const now = Date.now();
    for (const part of inParts(batch)) {
      if (Array.isArray(part)) this.#create(part, now);
      else this.#apply(part, now, refused);
    }
    this.#writer.finish();
    this.#statements.commit.run();
    return refused;
  }

  /** Without a savepoint, which would copy every page before it is changed. */
  #create(creates: readonly Create[], now: number): void {
    const outcomes = this.#writer.createMany(creates, now);
    for (const [at, create] of creates.entries()) create.outcome = outcomes[at];
  }

  #apply(unit: Unit, now: number, refused: Refused): void {
    try {
      unit.apply(this.#writer, now);
    } catch (error) {
      if (!unit.isolated || isStorageError(error) || !this.#database.inTransaction) throw error;
      refused.set(unit, error);
    }
  }

  #inSavepoint<T>(writer: PlantWriter, unit: () => T): T {
    const putBack = writer.mark();
    this.#statements.mark.run();
    try {
      return unit();
    } catch (error) {
      if (this.#database.inTransaction) this.#statements.undo.run();
      putBack();
      throw error;
    } finally {
      if (this.#database.inTransaction) this.#statements.release.run();
    }
  }

  /** False if that failed too, as on a broken disk: the next transaction cannot begin then, fails, and tries again. */
  #rollBack(): boolean {
    try {
      if (this.#database.inTransaction) this.#statements.rollback.run();
      return true;
    } catch {
      return false;
    }
  }

  /** Another process writes: come back from a timer, and refuse who has waited long enough. */
  #waitForLock(error: unknown): void {
    const late = this.#queue.takeOlder(performance.now() - LOCK_WAIT_MS_MAX);
    for (const write of late) write.reject(storageUnavailable(error));
    this.#afterwards(retryDelayMs());
  }
}

/** Creates that stand together are one part, and every other write is one. */
function inParts(batch: readonly Write[]): (Create[] | Unit)[] {
  const parts: (Create[] | Unit)[] = [];
  let creates: Create[] | undefined;
  for (const write of batch) {
    if (!("plant" in write)) parts.push(write);
    else if (creates) creates.push(write);
    else parts.push([write]);
    const last = parts.at(-1);
    creates = Array.isArray(last) ? last : undefined;
  }
  return parts;
}

function answer(write: Write, refused: Refused): void {
  if (refused.has(write)) write.reject(refused.get(write));
  else if ("plant" in write) write.resolve(write.outcome as CreateOutcome);
  else write.resolve();
}
