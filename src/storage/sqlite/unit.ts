import type { QueuedWrite } from "../write-queue.ts";

/** The writers of a transaction: they hold state in memory that follows the transaction's course. */
export interface TransactionWriters {
  /** Called at the start of each transaction: another process may have written since the last. */
  begin(): void;
  /** Called before the commit. */
  finish(): void;
  /** Returns a function that restores the state in memory when a part of the transaction is undone. */
  mark(): () => void;
}

/** One caller's write: all of it is kept, or nothing. It is written in one go, with no await inside. */
export interface Unit<Writers> extends QueuedWrite {
  readonly kind: UnitKind<Writers>;
  /** Called after the transaction is on disk. */
  answer(): void;
}

/** How units are written. Units of one kind that stand next to each other in a batch are written by one call. */
export interface UnitKind<Writers> {
  /**
   * True if a unit's error leaves nothing of it behind, and is answered to its caller alone; such units are written one
   * by one. An error of any other unit rolls the whole batch back.
   */
  readonly isolated: boolean;
  write(units: readonly Unit<Writers>[], writers: Writers, now: number): void;
}
