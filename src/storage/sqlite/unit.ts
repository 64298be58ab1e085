import type { QueuedWrite } from "../write-queue.ts";

/** The writers of a transaction, which hold state in memory that follows the transaction's course. */
export interface TransactionWriters {
  /** Called at the start of each transaction: another process may have written since the last one. */
  begin(): void;
  /** Called before the commit. */
  finish(): void;
  /** Returns a function that restores the state in memory if a part of the transaction is rolled back. */
  mark(): () => void;
}

/** One caller's write, of which either everything is stored or nothing. It runs synchronously, without an await. */
export interface Unit<Writers> extends QueuedWrite {
  readonly kind: UnitKind<Writers>;
  /** Called after the transaction is on disk. */
  answer(): void;
}

/** A way to write units. Units of one kind that are next to each other in a batch are written by one call. */
export interface UnitKind<Writers> {
  /**
   * True if a failed unit leaves nothing behind and its error goes to its caller alone; such units are written one by
   * one. An error of any other unit rolls the whole batch back.
   */
  readonly isolated: boolean;
  write(units: readonly Unit<Writers>[], writers: Writers, now: number): void;
}
