/** While creates come, readers of one place work for one part of the time and rest for this many. */
const REST_PARTS = 3;
/** With fewer rows written while a task ran, nobody is in its way. */
const ROWS_MIN = 4;
/** A single task that took very long does not keep the next one waiting for as long as that. */
const REST_MS_MAX = 250;

/**
 * How long searches and exports rest after each of their tasks, so that many of them in a row leave creates the most of
 * the processors. On a service that writes nothing they never rest.
 */
export class ReadingPace {
  readonly #rowsQueued: () => number;
  readonly #now: () => number;

  /** `rowsQueued` counts all rows that were ever to be written. */
  constructor(rowsQueued: () => number, now = () => performance.now()) {
    this.#rowsQueued = rowsQueued;
    this.#now = now;
  }

  /** Call it when a task begins, and the returned function when it has ended: it returns the milliseconds of rest. */
  begin(): () => number {
    const rows = this.#rowsQueued();
    const start = this.#now();
    return () => {
      if (this.#rowsQueued() - rows < ROWS_MIN) return 0;
      return Math.min(REST_MS_MAX, REST_PARTS * (this.#now() - start));
    };
  }
}
