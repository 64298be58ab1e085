import type { Database, Statement } from "bun:sqlite";
import type { Committer } from "./committer.ts";
import { INDEX_SLICE_LENGTH, type SearchIndex } from "./search-index.ts";

/** Before the first look after a write, so that a burst of creates starts undisturbed. */
const QUIET_MS = 250;
const RETRY_MS = 2000;
const UNMERGED_WRITES_MAX = 64;
/** Of the time of the thread that serves. */
const SHARE_WHEN_IDLE = 0.5;
const SHARE_WHEN_BUSY = 0.05;
const BUSY_COMMITS_PER_MS = 0.1;

/**
 * Fills the search index behind the creates: in slices of a few milliseconds through the committer, never with more
 * than a share of its time, and less while others write. Fewer plants than a slice stay out of the index: searches read
 * them anyway, and small transactions would only make work.
 */
export class Indexer {
  readonly #committer: Committer;
  readonly #behind: Statement<{ behind: number }, []>;
  #timer: NodeJS.Timeout | undefined;
  #commits = 0;
  #lookedAt = performance.now();
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
    this.#commits++;
    if (this.#timer === undefined) this.#look(QUIET_MS);
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
      this.#commits--;
      this.#timer = undefined;
      if (workMs > 0) this.#look(workMs / this.#share() - workMs);
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

  #share(): number {
    const now = performance.now();
    const busy = this.#commits > (now - this.#lookedAt) * BUSY_COMMITS_PER_MS;
    this.#commits = 0;
    this.#lookedAt = now;
    return busy ? SHARE_WHEN_BUSY : SHARE_WHEN_IDLE;
  }
}

/** Milliseconds that the work took; 0 if there was none. */
function timed(work: () => boolean): number {
  const start = performance.now();
  return work() ? performance.now() - start : 0;
}
