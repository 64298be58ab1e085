import type { Engine } from "../engine.ts";

/** A row with every value in a form that both engines give alike; see `Kind`. */
export type CanonicalRow = readonly (string | null)[];

/**
 * How a value is written down: `integer` in decimal, `text` as it is, `bytes` in hexadecimal, `date` as RFC 3339 in UTC
 * with milliseconds, `flag` as 0 or 1.
 */
export type Kind = "integer" | "text" | "bytes" | "date" | "flag";

export interface Column {
  readonly name: string;
  readonly kind: Kind;
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

/** A database that is moved from or to, in one transaction: what is not committed was never there. */
export interface MoveEndpoint {
  readonly engine: Engine;
  /** Tables and their columns, by name, with the engine's own words for the types. */
  columnTypes(): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>>;
  count(table: string): Promise<number>;
  pages(table: Table): AsyncIterable<readonly CanonicalRow[]>;
  /** Empties the tables, in this order. */
  clear(tables: readonly string[]): Promise<void>;
  insert(table: Table, rows: readonly CanonicalRow[]): Promise<void>;
  lastNumbers(): Promise<LastNumbers>;
  keepLastNumbers(numbers: LastNumbers): Promise<void>;
  commit(): Promise<void>;
  /** Ends the transaction, if it is not committed, without keeping anything of it. */
  close(): Promise<void>;
}

export const PAGE_ROWS = 1000;
