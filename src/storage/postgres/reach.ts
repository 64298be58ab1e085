import { markReported } from "#core/failure.ts";
import type { Observer } from "#core/observer.ts";
import { isConnectionLost, isStorageError, reasonOf } from "./errors.ts";

/** The database counts as reached when nothing has failed for this long, since one that ends still answers some. */
const SURE_AFTER_MS = 1000;

/**
 * Knows from all connections when the database is out of reach. Its loss and its return are each reported once, and not by
 * each part that needed it in between.
 */
export class Reach {
  /** The reasons reported since the database was last reached. */
  readonly #reported = new Set<string>();
  #failedAt = 0;
  /** Its one number says how often the database has come back. */
  readonly returns: Int32Array;

  /** A thread that only reads follows the serving one, which alone says that the database is back, by its `returns`. */
  constructor(
    private readonly observer: Pick<Observer, "databaseAway">,
    private readonly followed?: Int32Array,
  ) {
    this.returns = followed ?? new Int32Array(new SharedArrayBuffer(4));
  }

  get returned(): number {
    return Atomics.load(this.returns, 0);
  }

  /**
   * `isAway` is false for an error of a statement, or of this process's own connections. `worked` is the value of `returned`
   * when the connection that failed last worked, or was asked for. If `returned` has grown since, the outage is over already.
   */
  failed(error: unknown, isAway = isConnectionLost(error), worked = this.returned): void {
    const isOver = isAway && worked < this.returned;
    if (isAway) this.away(reasonOf(error), isConnectionLost(error) ? "" : reasonOf(error), worked);
    if ((isOver || this.#reported.size > 0) && isStorageError(error)) markReported(error);
  }

  /** A lost database causes different errors, which have one `kind`. Only the first error of each kind is reported. */
  away(reason: string, kind: string, worked: number): void {
    if (worked < this.returned) return;
    this.#failedAt = performance.now();
    if (!this.#reported.has(kind)) this.observer.databaseAway(reason);
    this.#reported.add(kind);
  }

  succeeded(): void {
    if (this.#reported.size === 0 || performance.now() - this.#failedAt < SURE_AFTER_MS) return;
    this.#reported.clear();
    if (!this.followed) Atomics.add(this.returns, 0, 1);
    this.observer.databaseAway(undefined);
  }
}
