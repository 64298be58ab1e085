import type { Database, Statement } from "bun:sqlite";
import type { Committer } from "./committer.ts";
import { IdleBudget } from "./idle-budget.ts";
import { INDEX_SLICE_LENGTH, type SearchIndex } from "./search-index.ts";

/** Before the first look after a write, so that a burst of creates starts undisturbed. */
const QUIET_MS = 250;
const RETRY_MS = 2000;
const UNMERGED_WRITES_MAX = 64;

/**
 * Fills the search index behind the creates: in slices of a few milliseconds through the committer, in half of the time
 * that the process has to spare. Fewer plants than a slice stay out of the index: searches read them anyway, and small
 * transactions would only make work.
 */
export class Indexer {
  readonly #committer: Committer;
  readonly #behind: Statement<{ behind: number }, []>;
  #timer: NodeJS.Timeout | undefined;
  readonly #idleBudget = new IdleBudget();
  #working = false;
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
    if (!this.#working) this.#idleBudget.wrote();
    if (this.#timer !== undefined) return;
    this.#idleBudget.measureAnew();
    this.#look(QUIET_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #look(delayMs: number): void {
    if (this.#closed) return;
    const due = performance.now() + delayMs;
    this.#timer = setTimeout(() => {
      this.#idleBudget.late(performance.now() - due);
      void this.#step();
    }, delayMs);
    this.#timer.unref();
  }

  async #step(): Promise<void> {
    try {
      this.#working = true;
      const workMs = await this.#committer.run((writer) => timed(() => this.#work(writer.searchIndex)));
      this.#timer = undefined;
      this.#idleBudget.worked(workMs);
      if (workMs > 0) this.#look(workMs / this.#idleBudget.share() - workMs);
    } catch {
      this.#look(RETRY_MS);
    } finally {
      this.#working = false;
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
}

/** Milliseconds that the work took; 0 if there was none. */
function timed(work: () => boolean): number {
  const start = performance.now();
  return work() ? performance.now() - start : 0;
}
