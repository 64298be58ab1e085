import type { Engine } from "../engine.ts";

/** A row with every value in a form that is the same for both engines; see `ColumnKind`. */
export type CanonicalRow = readonly (string | null)[];

/**
 * The text form of a value: `integer` in decimal, `text` unchanged, `bytes` in hexadecimal, `date` as RFC 3339 in UTC
 * with milliseconds, `flag` as 0 or 1.
 */
export type ColumnKind = "integer" | "text" | "bytes" | "date" | "flag";

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A column as the engine has it, with the engine's name of its type. */
export interface TypedColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** The last numbers that were given out; none of them may be given out again. */
export interface LastNumbers {
  readonly plant: bigint;
  readonly account: bigint;
}

/** The source or the target of a move, in one transaction: until the commit, nothing is changed. */
export interface MoveEndpoint {
  readonly engine: Engine;
  /** The columns of all tables, in their order. */
  columns(): Promise<readonly TypedColumn[]>;
  count(table: string): Promise<number>;
  pages(table: Table): AsyncIterable<readonly CanonicalRow[]>;
  /** Empties the tables, in this order. */
  clear(tables: readonly string[]): Promise<void>;
  insert(table: Table, rows: readonly CanonicalRow[]): Promise<void>;
  lastNumbers(): Promise<LastNumbers>;
  keepLastNumbers(numbers: LastNumbers): Promise<void>;
  commit(): Promise<void>;
  /** Ends the transaction and discards it if it was not committed. */
  close(): Promise<void>;
}

export const PAGE_ROWS = 1000;
