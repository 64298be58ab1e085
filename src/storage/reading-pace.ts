/** While creates come, a reader rests for this many times as long as it worked. */
const REST_PARTS = 3;
/** If fewer rows were written while a task ran, it was in nobody's way. */
const ROWS_MIN = 4;
/** After a very long task the next one does not wait longer than this. */
const REST_MS_MAX = 250;

/**
 * The pause that searches and exports make after each of their tasks, so that many of them in a row leave most of the
 * processor time to creates. If nothing is written, there is no pause.
 */
export class ReadingPace {
  readonly #rowsQueued: () => number;
  readonly #now: () => number;

  /** `rowsQueued` counts all rows that were queued since the start. */
  constructor(rowsQueued: () => number, now = () => performance.now()) {
    this.#rowsQueued = rowsQueued;
    this.#now = now;
  }

  /**
   * Call it when a task begins, and the returned function when the task has ended; that one returns the pause in
   * milliseconds.
   */
  begin(): () => number {
    const rows = this.#rowsQueued();
    const start = this.#now();
    return () => {
      if (this.#rowsQueued() - rows < ROWS_MIN) return 0;
      return Math.min(REST_MS_MAX, REST_PARTS * (this.#now() - start));
    };
  }
}
