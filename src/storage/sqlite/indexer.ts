import type { Database, Statement } from "bun:sqlite";
import type { Committer } from "./committer.ts";
import { INDEX_SLICE_LENGTH, type SearchIndex } from "./search-index.ts";

/** Before the first look after a write, so that a burst of creates starts undisturbed. */
const QUIET_MS = 250;
const RETRY_MS = 2000;
/** How far back it looks to see how busy the process is. */
const MEASURED_MS = 100;
const UNMERGED_WRITES_MAX = 64;
/** Of the time that the process leaves idle, and of all time when it leaves none. */
const SHARE_OF_IDLE = 0.5;
const SHARE_MIN = 0.02;

/**
 * Fills the search index behind the creates: in slices of a few milliseconds through the committer, in half of the time
 * that the process has to spare. Fewer plants than a slice stay out of the index: searches read them anyway, and small
 * transactions would only make work.
 */
export class Indexer {
  readonly #committer: Committer;
  readonly #behind: Statement<{ behind: number }, []>;
  #timer: NodeJS.Timeout | undefined;
  #share = SHARE_MIN;
  #workMs = 0;
  #since = performance.now();
  #cpuSince = process.cpuUsage();
  #closed = false;

  constructor(database: Database, committer: Committer) {
    this.#committer = committer;
    this.#behind = database.prepare(
      "SELECT made.value - taken.value AS behind FROM counters made, counters taken WHERE made.name = 'plant_number' AND taken.name = 'plant_indexed'",
    );
    this.#look(RETRY_MS);
  }

  /** Called after each commit. */
  committed(): void {
    if (this.#timer !== undefined) return;
    this.#measureAnew();
    this.#look(QUIET_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #look(delayMs: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#step(), delayMs);
    this.#timer.unref();
  }

  async #step(): Promise<void> {
    try {
      const workMs = await this.#committer.run((writer) => timed(() => this.#work(writer.searchIndex)));
      this.#timer = undefined;
      this.#workMs += workMs;
      if (workMs > 0) this.#look(workMs / this.#currentShare() - workMs);
    } catch {
      this.#look(RETRY_MS);
    }
  }

  /** Takes in a slice, or merges what slices and changes left; returns whether there was anything to do. */
  #work(index: SearchIndex): boolean {
    const behind = (this.#behind.get()?.behind ?? 0) >= INDEX_SLICE_LENGTH;
    if (index.unmergedWrites >= (behind ? 1 : UNMERGED_WRITES_MAX)) index.merge();
    else if (behind) return index.takeSlice() > 0;
    else return false;
    return true;
  }

  #currentShare(): number {
    const elapsedMs = performance.now() - this.#since;
    if (elapsedMs < MEASURED_MS) return this.#share;
    const { user, system } = process.cpuUsage(this.#cpuSince);
    const busyMs = (user + system) / 1000 - this.#workMs;
    this.#measureAnew();
    this.#share = Math.max(SHARE_MIN, SHARE_OF_IDLE * Math.min(1, 1 - busyMs / elapsedMs));
    return this.#share;
  }

  #measureAnew(): void {
    this.#workMs = 0;
    this.#since = performance.now();
    this.#cpuSince = process.cpuUsage();
  }
}

/** Milliseconds that the work took; 0 if there was none. */
function timed(work: () => boolean): number {
  const start = performance.now();
  return work() ? performance.now() - start : 0;
}
