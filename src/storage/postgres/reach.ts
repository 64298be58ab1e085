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

  constructor(private readonly observer: Pick<Observer, "databaseAway">) {}

  /** `isAway` is false for an error of a statement, or of this process's own connections. */
  failed(error: unknown, isAway = isConnectionLost(error)): void {
    if (isAway) this.away(reasonOf(error), isConnectionLost(error) ? "" : reasonOf(error));
    if (this.#reported.size > 0 && isStorageError(error)) markReported(error);
  }

  /** A database that is not there says so in several ways, which are of one kind, and of which one is enough. */
  away(reason: string, kind = ""): void {
    this.#failedAt = performance.now();
    if (!this.#reported.has(kind)) this.observer.databaseAway(reason);
    this.#reported.add(kind);
  }

  succeeded(): void {
    if (this.#reported.size === 0 || performance.now() - this.#failedAt < SURE_AFTER_MS) return;
    this.#reported.clear();
    this.observer.databaseAway(undefined);
  }
}
