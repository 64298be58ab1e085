import { Failure, storageUnavailable } from "#core/failure.ts";
import { jittered } from "#core/jitter.ts";
import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { contentOf, type PlantsWrite, WriteQueue } from "../write-queue.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { ChangeBatches, type PlantChange } from "./change-batch.ts";
import { isConflict, isStatementLost, isStorageError, toWriteFailure } from "./errors.ts";
import { PlantBatches } from "./plant-batch.ts";
import { type Pool, WAIT_MS_MAX } from "./pool.ts";
import { CONNECTIONS } from "./pools.ts";

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

type Write = PlantsWrite | PlantChange;

/**
 * Group commit over PostgreSQL: all creates that arrive while batches are running go into the next one, and all changes
 * and removals into one of theirs. Each is answered only after its own batch has committed. Large writes have batches of their own, so that small ones overtake
 * them, and their accounts take turns.
 */
export class Committer {
  readonly #queue: WriteQueue<Write>;
  readonly #largeTurns = new FairQueue(LARGE_WRITES);
  readonly #creates = new PlantBatches();
  readonly #changes: ChangeBatches;
  #underWay = 0;
  /** The changes that are queued anew in a moment. */
  #later = 0;
  #atOnceMax: number = CONNECTIONS.writing.all;
  /** The next batch: not begun, waiting until it is worth running beside another, or gathering its last writes. */
  #next: "none" | "waiting" | "gathering" = "none";
  #wait: Timer | undefined;
  #idle: (() => void) | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly observer: Observer = NO_OBSERVER,
    private readonly onCommit = () => {},
    private readonly waitMsMax = WAIT_MS_MAX,
    private readonly onRefused: (error: unknown) => void = () => {},
    keepsEvents = true,
  ) {
    this.#changes = new ChangeBatches(keepsEvents);
    this.#queue = new WriteQueue(observer);
  }

  add(write: Write): void {
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
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  get #isIdle(): boolean {
    return this.#queue.length === 0 && this.#underWay === 0 && this.#later === 0;
  }

  /** Writes the account's oldest large writes. Nothing is left to do if an earlier turn took them along. */
  #commitLarge(account: AccountNumber): Promise<void> {
    this.#refuseLate();
    const fits = upTo(LARGE_BATCH_SIZE_UNITS_MAX);
    const isNext = this.#likeFirst((write) => write.isLarge && write.account === account);
    return this.#commit(this.#queue.shift((write) => isNext(write) && fits(write.size)));
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

  #nextBatch(): Write[] {
    const fits = upTo(BATCH_LENGTH_MAX);
    const isNext = this.#likeFirst(({ isLarge }) => !isLarge);
    return this.#queue.shift((write) => isNext(write) && fits(write.rows));
  }

  /** Accepts what `are` accepts, if it is of the same kind as the first write that was accepted. */
  #likeFirst(are: (write: Write) => boolean): (write: Write) => boolean {
    let kind: Write["kind"] | undefined;
    return (write) => {
      if (!are(write)) return false;
      kind ??= write.kind;
      return write.kind === kind;
    };
  }

  /** Refuses writes that have waited as long as they may, so that they do not wait for a batch as well. */
  #refuseLate(): void {
    for (const write of this.#queue.takeOlder(performance.now() - this.waitMsMax)) write.reject(storageUnavailable());
  }

  async #commit(batch: readonly Write[]): Promise<void> {
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
  async #refuse(batch: readonly Write[], error: unknown): Promise<void> {
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
    if (this.#isIdle) this.#idle?.();
  }

  /** Settles each write. Resolves with those that were not done, and have to be repeated at once; or throws. */
  async #write(batch: readonly Write[], deadline: number): Promise<readonly Write[]> {
    const settle = await this.#attempt(batch, deadline);
    const again: Write[] = [];
    batch.forEach((write, at) => {
      const rest = settle ? settle(at) : write;
      if (rest?.kind === "change" && settle) this.#addLater(rest);
      else if (rest) again.push(rest);
    });
    if (again.length > 0) await Bun.sleep(jittered(RETRY_DELAY_MS, Math.random()));
    return again;
  }

  /**
   * Queues a change again whose plant another transaction holds or has changed, or whose statement failed after others of its
   * batch were done. It waits in no batch meanwhile, so that it holds up no other write for however long the plant is held.
   */
  #addLater(change: PlantChange): void {
    this.#later++;
    setTimeout(
      () => {
        this.#later--;
        this.add(change);
        this.#afterwards();
      },
      jittered(RETRY_DELAY_MS, Math.random()),
    );
  }

  /** Undefined if nothing was done, for example after a deadlock, and the batch has to be repeated. */
  async #attempt(batch: readonly Write[], deadline: number) {
    const waitMsMax = Math.ceil(deadline - performance.now());
    if (waitMsMax <= 0) throw storageUnavailable();
    const client = await this.pool.connect(waitMsMax);
    const startedAt = performance.now();
    try {
      const writer: BatchWriter<Write> = batch[0]?.kind === "change" ? this.#changes : this.#creates;
      const settle = await writer.write(client, batch, deadline);
      this.observer.batchCommitted({ ...contentOf(batch), commitMs: performance.now() - startedAt, startedAt });
      this.onCommit();
      return settle;
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
