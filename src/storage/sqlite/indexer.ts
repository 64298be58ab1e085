import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { CreateBurst } from "../create-burst.ts";
import type { Committer } from "./committer.ts";
import { IdleBudget } from "./idle-budget.ts";
import type { ReadConnection, ReadStatement } from "./read-connection.ts";
import { INDEX_SLICE_LENGTH, type SearchIndex } from "./search-index.ts";

const CHECK_INTERVAL_MS = 250;
/** An index without new writes is checked less often: only another process may have written. */
const QUIET_INTERVAL_MS = 2000;
/** While others write, this many plants may wait for the index. Each search reads them directly, in some 15 ms. */
const BEHIND_MAX = 8192;
const UNMERGED_WRITES_MAX = 64;
/**
 * A merge of large segments takes thousands of steps, and plants beyond the index make every search slow. So a slice comes
 * between them: after several times the steps that its own merges need, in segments of any size.
 */
const MERGES_BETWEEN_SLICES = 16;
/**
 * While others write, a slice comes after so many of their rows, so that it delays less than one of a hundred creates,
 * and still indexes faster than they come. No pause is longer than the time below.
 */
const ROWS_BETWEEN_SLICES = 128;
const PAUSE_MS_MAX = 100;

/**
 * Fills the search index behind the creates, in slices of a few milliseconds through the committer, during half of the
 * process's idle time. A burst of creates goes first. Fewer plants than a slice stay out of the index: searches read them anyway, and small
 * transactions would only cost more.
 */
export class Indexer {
  readonly #plantsBehind: ReadStatement<{ behind: number }, []>;
  readonly #idleBudget = new IdleBudget();
  #behind = 0;
  #commits = 0;
  #working = false;
  #mergesSinceSlice = 0;

  constructor(
    database: ReadConnection,
    private readonly committer: Committer,
    observer: Observer,
    private readonly burst = new CreateBurst(() => committer.rowsQueued),
  ) {
    this.#plantsBehind = database.prepare(
      "SELECT made.value - taken.value AS behind FROM counters made, counters taken WHERE made.name = 'plant_number' AND taken.name = 'plant_indexed'",
    );
    observer.gauge("plantstore_search_behind_plants", () => this.#behind);
  }

  committed(): void {
    if (this.#working) return;
    this.#commits++;
    this.#idleBudget.wrote();
  }

  readonly job: Job = {
    name: "search-indexer",
    intervalMs: CHECK_INTERVAL_MS,
    run: () => this.#run(),
  };

  /** Resolves with the delay until the next slice. */
  async #run(): Promise<number> {
    const quiet = this.#commits === 0;
    this.#commits = 0;
    this.#behind = this.#plantsBehind.get()?.behind ?? 0;
    const mustWait = this.burst.mustWait();
    if (!quiet && (mustWait || this.#behind < BEHIND_MAX)) return CHECK_INTERVAL_MS;
    await this.#probe();
    try {
      this.#working = true;
      const workMs = await this.committer.run((plants) => timed(() => this.#work(plants.searchIndex)));
      this.#idleBudget.worked(workMs);
      if (workMs > 0) return Math.max(workMs / this.#idleBudget.share() - workMs, quiet ? 0 : this.#pauseMs());
    } finally {
      this.#working = false;
    }
    return quiet ? QUIET_INTERVAL_MS : CHECK_INTERVAL_MS;
  }

  #pauseMs(): number {
    return Math.min(PAUSE_MS_MAX, this.burst.msFor(ROWS_BETWEEN_SLICES));
  }

  /** A timer shows how busy the serving thread is. */
  async #probe(): Promise<void> {
    const due = performance.now() + 1;
    await Bun.sleep(1);
    this.#idleBudget.late(performance.now() - due);
  }

  /** Indexes a slice, or merges segments left by slices and changes. Returns false if there was nothing to do. */
  #work(index: SearchIndex): boolean {
    const behind = this.#behind >= INDEX_SLICE_LENGTH;
    const sliceIsDue = behind && this.#mergesSinceSlice >= MERGES_BETWEEN_SLICES;
    if (!sliceIsDue && index.unmergedWrites >= (behind ? 1 : UNMERGED_WRITES_MAX)) {
      this.#mergesSinceSlice++;
      index.merge();
      return true;
    }
    this.#mergesSinceSlice = 0;
    return behind && index.takeSlice() > 0;
  }
}

/** The duration of the work in milliseconds; 0 if there was none. */
function timed(work: () => boolean): number {
  const start = performance.now();
  return work() ? performance.now() - start : 0;
}
