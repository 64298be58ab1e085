import { Failure, storageUnavailable } from "#core/failure.ts";
import { jittered } from "#core/jitter.ts";
import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import type { AccountNumber, CreateOutcome } from "#core/plant.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { CONNECTIONS } from "#load/limits.ts";
import { contentOf, PlantsWrite, WriteQueue } from "../write-queue.ts";
import { isConflict, isStatementLost, isStorageError, toWriteFailure } from "./errors.ts";
import { PlantBatches, type WriteOutcome } from "./plant-batch.ts";
import { type Pool, WAIT_MS_MAX } from "./pool.ts";

const BATCH_LENGTH_MAX = 512;
/** A batch of large writes. With a quarter of this, half as many names of 5 kB are stored in a second. */
const LARGE_BATCH_SIZE_UNITS_MAX = 256 * 1024;
/** One batch of them at a time: the other connections stay free for small writes. The queue bounds how many wait. */
const LARGE_WRITES = { name: "large creates", all: 1, each: 1, waiting: Infinity, waitingEach: Infinity };
/**
 * While writes arrive in numbers, those of up to three more turns of the event loop join the batch. A batch of many rows
 * does not wait for more: otherwise all callers would be in one batch, and the database would rest while this process
 * answers them and reads their next requests.
 */
const GROWING_ROWS_MIN = 4;
const GROWING_ROWS_MAX = 128;
const GROWING_TURNS_MAX = 3;
/** The rows that make it worth starting a batch while another is running. Fewer rows wait up to the time below. */
const ROWS_BESIDE_MIN = 32;
const BESIDE_WAIT_MS_MAX = 2;
/** A batch that starts late still gets this much time. */
const BATCH_MS_MIN = 250;
const RETRY_DELAY_MS = 10;

/**
 * Group commit over PostgreSQL: all creates that arrive while batches are running go into the next one, and each is
 * answered only after its own batch has committed. Large writes have batches of their own, so that small ones overtake
 * them, and their accounts take turns.
 */
export class Committer {
  readonly #queue: WriteQueue<PlantsWrite>;
  readonly #largeTurns = new FairQueue(LARGE_WRITES);
  readonly #batches = new PlantBatches();
  #underWay = 0;
  #atOnceMax: number = CONNECTIONS.writing.all;
  /** The next batch: not begun, waiting to be worth its cost beside another, or about to be sent. */
  #next: "none" | "waiting" | "gathering" = "none";
  #wait: Timer | undefined;
  #idle: (() => void) | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly observer: Observer = NO_OBSERVER,
    private readonly onCommit = () => {},
    private readonly waitMsMax = WAIT_MS_MAX,
    private readonly onRefused: (error: unknown) => void = () => {},
  ) {
    this.#queue = new WriteQueue(observer);
  }

  add(write: PlantsWrite): void {
    if (!this.#queue.push(write)) return;
    const { account, isLarge } = write;
    if (isLarge) void this.#largeTurns.run(account, () => this.#commitLarge(account), { admitted: true });
    else this.#schedule();
  }

  get rowsQueued(): number {
    return this.#queue.rowsQueued;
  }

  /** Resolves when every accepted write is on disk or refused. Nothing is accepted from the call on. */
  async close(): Promise<void> {
    this.#queue.close();
    if (this.#queue.length === 0 && this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  /** Writes the account's oldest large writes. Nothing is left to do if an earlier turn took them along. */
  #commitLarge(account: AccountNumber): Promise<void> {
    this.#refuseLate();
    const fits = upTo(LARGE_BATCH_SIZE_UNITS_MAX);
    return this.#commit(this.#queue.take((write) => write.isLarge && write.account === account && fits(write.size)));
  }

  #schedule(): void {
    if (this.#next === "gathering" || !this.#mayStart) return;
    if (this.#underWay <= this.#largeTurns.running || this.#queue.rows >= ROWS_BESIDE_MIN) this.#gather();
    else if (this.#next === "none") this.#waitBeside();
  }

  get #mayStart(): boolean {
    return this.#underWay < this.#atOnceMax && this.#queue.rows > 0;
  }

  /**
   * A batch costs the database some 200 µs whatever its size. While one is running, the next waits until it is large
   * enough to be worth that, but not for long.
   */
  #waitBeside(): void {
    this.#next = "waiting";
    this.#wait = setTimeout(() => {
      this.#next = "none";
      if (this.#mayStart) this.#gather();
    }, BESIDE_WAIT_MS_MAX);
  }

  #gather(): void {
    clearTimeout(this.#wait);
    this.#next = "gathering";
    this.#startAfter(GROWING_TURNS_MAX);
  }

  #startAfter(turnsMax: number): void {
    const before = this.#queue.rows;
    setImmediate(() => {
      const { rows } = this.#queue;
      const isGrowing = rows > before && rows >= GROWING_ROWS_MIN && rows < GROWING_ROWS_MAX;
      if (isGrowing && turnsMax > 0) {
        this.#startAfter(turnsMax - 1);
        return;
      }
      this.#next = "none";
      this.#refuseLate();
      void this.#commit(this.#nextBatch());
      this.#schedule();
    });
  }

  #nextBatch(): PlantsWrite[] {
    const fits = upTo(BATCH_LENGTH_MAX);
    return this.#queue.take(({ isLarge, rows }) => !isLarge && fits(rows));
  }

  /** Refuses writes that have waited as long as they may, so that they do not wait for a batch as well. */
  #refuseLate(): void {
    for (const write of this.#queue.takeOlder(performance.now() - this.waitMsMax)) write.reject(storageUnavailable());
  }

  async #commit(batch: readonly PlantsWrite[]): Promise<void> {
    if (batch.length === 0) return this.#afterwards();
    this.#underWay++;
    const deadline = Math.max((batch[0]?.since ?? 0) + this.waitMsMax, performance.now() + BATCH_MS_MIN);
    // A write that is settled is not tried again: what it created may be removed by now.
    let remaining = batch;
    try {
      while (remaining.length > 0) remaining = await this.#write(remaining, deadline);
      this.#atOnceMax = CONNECTIONS.writing.all;
    } catch (error) {
      await this.#refuse(remaining, error);
    }
    this.#underWay--;
    this.#afterwards();
  }

  /**
   * A write that the database refuses for its own sake must not make its neighbours fail, so each is tried alone. While
   * the database is failing, one batch at a time is enough to find out when it works again.
   */
  async #refuse(batch: readonly PlantsWrite[], error: unknown): Promise<void> {
    if (isStorageError(error) || error instanceof Failure) {
      this.#atOnceMax = 1;
      this.onRefused(error);
    } else if (batch.length > 1) {
      for (const write of batch) await this.#commit([write]);
      return;
    }
    for (const write of batch) write.reject(toWriteFailure(error));
  }

  #afterwards(): void {
    this.#schedule();
    if (this.#queue.length === 0 && this.#underWay === 0) this.#idle?.();
  }

  /** Settles each write, and resolves with those to repeat, since they conflicted with other transactions; or throws. */
  async #write(batch: readonly PlantsWrite[], deadline: number): Promise<readonly PlantsWrite[]> {
    const outcomes = await this.#attempt(batch, deadline);
    const again: PlantsWrite[] = [];
    batch.forEach((write, at) => {
      const outcome = outcomes?.[at];
      if (outcome === "account-removed") write.settle(undefined);
      else if (outcome && isSettled(outcome)) write.settle(outcome);
      else again.push(outcome ? restOf(write, outcome) : write);
    });
    if (again.length > 0) await Bun.sleep(jittered(RETRY_DELAY_MS, Math.random()));
    return again;
  }

  /** Undefined if nothing was done, for example after a deadlock, and the batch has to be repeated. */
  async #attempt(batch: readonly PlantsWrite[], deadline: number): Promise<WriteOutcome[] | undefined> {
    const waitMsMax = Math.ceil(deadline - performance.now());
    if (waitMsMax <= 0) throw storageUnavailable();
    const client = await this.pool.connect(waitMsMax);
    const startedAt = performance.now();
    try {
      const outcomes = await this.#batches.write(client, batch, deadline);
      this.observer.batchCommitted({ ...contentOf(batch), commitMs: performance.now() - startedAt, startedAt });
      this.onCommit();
      return outcomes;
    } catch (error) {
      if (isConflict(error)) this.observer.count("plantstore_lock_wait_retries_total");
      if (isConflict(error) || isStatementLost(error)) return undefined;
      throw error;
    } finally {
      client.release();
    }
  }
}

/** Accepts as many numbers as add up to the maximum, and the first one even if it is larger. */
function upTo(max: number): (count: number) => boolean {
  let sum = 0;
  return (count) => {
    const isFirst = sum === 0;
    sum += count;
    return isFirst || sum <= max;
  };
}

function isSettled(outcome: (CreateOutcome | undefined)[]): outcome is CreateOutcome[] {
  return !outcome.includes(undefined);
}

/** The plants without an outcome as a write of their own, so that the others keep theirs. */
function restOf(write: PlantsWrite, outcomes: readonly (CreateOutcome | undefined)[]): PlantsWrite {
  const plants = write.plants.filter((_, at) => outcomes[at] === undefined);
  const resolve = (rest: CreateOutcome[]) => {
    const next = rest.values();
    write.resolve(outcomes.map((outcome) => outcome ?? (next.next().value as CreateOutcome)));
  };
  return new PlantsWrite(write.account, plants, write.span, resolve, write.reject, write.by);
}
