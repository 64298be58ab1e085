/** The rate at which creates count as a burst. */
const BURST_ROWS_PER_SECOND_MIN = 2000;
/** The rate is measured over at least this period. */
const MEASURED_MS_MIN = 100;
/** Work that can wait for the end of a burst waits no longer than this. */
const WAIT_MS_MAX = 10_000;

/**
 * Notices bursts of creates, so that work which can wait leaves them the processor and the disk. Under a load that never
 * ends the work waits once, and then goes on beside the creates.
 */
export class CreateBurst {
  #rows = 0;
  #at: number;
  #rowsPerMs = 0;
  #since: number | undefined;

  /** `rowsQueued` counts all rows that were queued since the start. */
  constructor(
    private readonly rowsQueued: () => number,
    private readonly now = () => performance.now(),
  ) {
    this.#at = now();
  }

  /** True during a burst, for its first ten seconds. Call it often: the rate is that since an earlier call. */
  mustWait(): boolean {
    const now = this.now();
    if (now - this.#at >= MEASURED_MS_MIN) this.#measure(now);
    return this.#since !== undefined && now - this.#since < WAIT_MS_MAX;
  }

  /** The time in which so many rows are queued at the present rate, in milliseconds; infinite without creates. */
  msFor(rows: number): number {
    return rows / this.#rowsPerMs;
  }

  #measure(now: number): void {
    const rows = this.rowsQueued();
    this.#rowsPerMs = (rows - this.#rows) / (now - this.#at);
    this.#rows = rows;
    this.#at = now;
    if (this.#rowsPerMs * 1000 < BURST_ROWS_PER_SECOND_MIN) this.#since = undefined;
    else this.#since ??= now;
  }
}
