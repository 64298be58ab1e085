import type { Engine } from "../engine.ts";

/** A database that a service uses, so that it cannot be moved; the message says which. */
export class DatabaseInUse extends Error {}

/** The two sides of a move, as messages name them. */
export const MOVE_ROLES = { from: "source", to: "target" } as const;
export type MoveRole = keyof typeof MOVE_ROLES;

/** A row with every value in a form that is the same for both engines; see `ColumnKind`. */
export type CanonicalRow = readonly (string | null)[];

/**
 * The text form of a value: `integer` in decimal, `text` unchanged, `bytes` in hexadecimal, `flag` as 0 or 1.
 */
export type ColumnKind = "integer" | "text" | "bytes" | "flag";

interface Column {
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

/** The expressions that an engine reads a column's text with, and that it makes the value of such a text with. */
export type Conversions = Readonly<Record<ColumnKind, readonly [textOf: string, valueOf: string]>>;

type Value = bigint | string | null;

/** The source or the target of a move, in one transaction: until the commit, nothing is changed. */
export abstract class MoveEndpoint implements AsyncDisposable {
  abstract readonly engine: Engine;
  /** "?" stands for the column or the text. */
  protected abstract readonly conversions: Conversions;
  /** The statement that reads the columns of all tables, in their order. */
  protected abstract readonly allColumns: string;
  /** The statements that read the last numbers, as `last`. */
  protected abstract readonly last: Readonly<Record<keyof LastNumbers, string>>;

  /** Empties the tables, in this order. */
  abstract clear(tables: readonly string[]): Promise<void>;
  abstract keepLastNumbers(numbers: LastNumbers): Promise<void>;
  abstract commit(): Promise<void>;
  /** Ends the transaction and discards it if it was not committed. */
  abstract [Symbol.asyncDispose](): Promise<void>;

  protected abstract rows<Row extends object>(text: string, ...values: Value[]): Promise<Row[]>;
  /** The rows of a statement, in pages of at most PAGE_ROWS. */
  protected abstract read(text: string): AsyncIterable<readonly Readonly<Record<string, string | null>>[]>;
  protected abstract write(insert: string, values: readonly string[], rows: readonly CanonicalRow[]): Promise<void>;

  columns(): Promise<TypedColumn[]> {
    return this.rows(this.allColumns);
  }

  async count(table: string): Promise<number> {
    const [row] = await this.rows<{ rows: number }>(`SELECT count(*) AS rows FROM "${table}"`);
    return row?.rows ?? 0;
  }

  async *pages({ name, columns }: Table): AsyncIterable<readonly CanonicalRow[]> {
    const texts = columns.map(
      (column, at) => `${this.conversions[column.kind][0].replaceAll("?", `"${column.name}"`)} AS "${at}"`,
    );
    for await (const page of this.read(`SELECT ${texts} FROM "${name}"`)) {
      yield page.map((row) => columns.map((_, at) => row[at] ?? null));
    }
  }

  async insert({ name, columns }: Table, rows: readonly CanonicalRow[]): Promise<void> {
    const values = columns.map(({ kind }) => this.conversions[kind][1]);
    await this.write(`INSERT INTO "${name}" (${columns.map((column) => `"${column.name}"`)})`, values, rows);
  }

  async lastNumbers(): Promise<LastNumbers> {
    const read = async (text: string) => BigInt((await this.rows<{ last: string }>(text))[0]?.last ?? 0);
    return { plant: await read(this.last.plant), account: await read(this.last.account) };
  }
}

export const PAGE_ROWS = 1000;
