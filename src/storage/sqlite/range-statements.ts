import type { Statement } from "bun:sqlite";
import { rangeTable } from "./search-table.ts";

/** The statements on the tables of ranges. Those of a range are prepared at their first use. */
export class RangeStatements<Statements extends Record<string, Pick<Statement, "finalize">>> {
  readonly #prepared = new Map<number, Statements>();

  constructor(private readonly prepare: (table: string) => Statements) {}

  of(range: number): Statements {
    let statements = this.#prepared.get(range);
    if (!statements) {
      statements = this.prepare(rangeTable(range));
      this.#prepared.set(range, statements);
    }
    return statements;
  }

  /** Gives up the statements of all other ranges. */
  keep(ranges: readonly { readonly range: number }[]): void {
    if (this.#prepared.size <= ranges.length) return;
    const kept = new Set(ranges.map(({ range }) => range));
    for (const [range, statements] of this.#prepared) {
      if (kept.has(range)) continue;
      for (const statement of Object.values(statements)) statement.finalize();
      this.#prepared.delete(range);
    }
  }
}
