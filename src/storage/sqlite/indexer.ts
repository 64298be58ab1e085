import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { CreateBurst } from "../create-burst.ts";
import type { Committer } from "./committer.ts";
import { discardRange } from "./discarded-range.ts";
import { IdleBudget } from "./idle-budget.ts";
import type { ReadConnection, ReadStatement } from "./read-connection.ts";
import { INDEX_SLICE_LENGTH, type SearchIndex } from "./search-index.ts";

const CHECK_INTERVAL_MS = 250;
/** An index without new writes is checked less often: only another process may have written. */
const QUIET_INTERVAL_MS = 2000;
/** A merge of small segments is shorter than its transaction would be, so a step takes several, up to this time. */
const STEP_MS_MIN = 2;
/** How many plants may wait for the index while others write. Searches read them directly, in the account's turn. */
const BEHIND_MAX = 2048;
/** How many changed plants may wait while others write. */
const CHANGED_MAX = 64;
/** The longest that changes wait while others write without a pause, so that counts of tags are never older. */
const WAIT_MS_MAX = 30_000;
/** How many waiting plants end the pauses for others' rows: with over 20,000 waiting, every search reads 20,000. */
const FAR_BEHIND = 16_384;
/**
 * A merge takes hundreds of steps, and plants beyond the index make every search slow. So a slice comes between them: after
 * several times the steps that its own merges need, in segments of any size.
 */
const MERGES_BETWEEN_SLICES = 16;
/**
 * How many rows of others come between two slices. A slice then delays fewer than one in a hundred creates and still indexes
 * faster than they come. No pause is longer than the time below.
 */
const ROWS_BETWEEN_SLICES = 128;
const PAUSE_MS_MAX = 100;
/** However busy the process, an index that is far behind takes a step so often, which keeps up with 10,000 creates a second. */
const BEHIND_PAUSE_MS_MAX = 20;

/**
 * Fills the search index behind the creates, in slices of a few milliseconds through the committer, during half of the
 * process's idle time. A burst of creates goes first. Fewer plants than a slice stay out of the index: searches read them
 * anyway, and small transactions would only cost more.
 */
export class Indexer {
  readonly #state: ReadStatement<{ behind: number; unused: number | null; changed: number }, []>;
  readonly #idleBudget = new IdleBudget();
  #behind = 0;
  #commits = 0;
  #workedAt = Number.NEGATIVE_INFINITY;
  #working = false;
  #mergesSinceSlice = 0;
  #followsNext = true;

  constructor(
    database: ReadConnection,
    private readonly path: string,
    private readonly committer: Committer,
    private readonly observer: Observer,
    private readonly burst = new CreateBurst(() => committer.rowsQueued),
  ) {
    const ranges = "FROM plant_search_ranges WHERE";
    this.#state = database.prepare(
      `SELECT value - (SELECT coalesce(max(last), 0) FROM plant_search_ranges) AS behind,
        (SELECT range ${ranges} state <> 'filling' AND first > last LIMIT 1) AS unused,
        (SELECT count(*) FROM (SELECT 1 FROM plant_search_changes LIMIT ${FAR_BEHIND})) AS changed
      FROM counters WHERE name = 'plant_number'`,
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
    const { behind = 0, unused = null, changed = 0 } = this.#state.get() ?? {};
    this.#behind = behind;
    const mustWait = this.burst.mustWait() && changed < FAR_BEHIND;
    const isLittle = behind < BEHIND_MAX && changed <= CHANGED_MAX;
    const isRecent = performance.now() - this.#workedAt < WAIT_MS_MAX;
    if (!quiet && (mustWait || (isLittle && isRecent))) return CHECK_INTERVAL_MS;
    if (unused !== null) discardRange(this.path, unused);
    await this.#probe();
    try {
      this.#working = true;
      let startedAt = 0;
      this.#workedAt = performance.now();
      const workMs = await this.committer.run((plants) => {
        startedAt = performance.now();
        let ms = 0;
        while (ms < STEP_MS_MIN && this.#work(plants.searchIndex)) ms = performance.now() - startedAt;
        return ms;
      });
      this.#idleBudget.worked(workMs);
      if (workMs === 0) return quiet ? QUIET_INTERVAL_MS : CHECK_INTERVAL_MS;
      this.observer.observe("plantstore_search_step_seconds", (performance.now() - startedAt) / 1000);
      const pauseMs = workMs / this.#idleBudget.share() - workMs;
      return Math.max(
        isLittle ? pauseMs : Math.min(pauseMs, BEHIND_PAUSE_MS_MAX),
        quiet || Math.max(behind, changed) >= FAR_BEHIND ? 0 : this.#pauseMs(),
      );
    } finally {
      this.#working = false;
    }
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

  /**
   * Takes a part of a step: it merges, or indexes a slice, or else does what can wait longest, which comes after each
   * slice at the latest. Returns false if there was nothing to do.
   */
  #work(index: SearchIndex): boolean {
    const isBehind = this.#behind >= INDEX_SLICE_LENGTH;
    if ((!isBehind || this.#mergesSinceSlice < MERGES_BETWEEN_SLICES) && index.merge()) {
      this.#mergesSinceSlice++;
      return true;
    }
    this.#mergesSinceSlice = 0;
    this.#followsNext = !this.#followsNext;
    if (isBehind && !this.#followsNext) return index.takeSlice() > 0;
    return index.follow() > 0 || index.tidy() || (isBehind && index.takeSlice() > 0);
  }
}
