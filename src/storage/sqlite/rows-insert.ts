import type { Database, Statement } from "bun:sqlite";
import type { AccountNumber, NewPlant } from "#core/plant.ts";

export interface Creation {
  readonly account: AccountNumber;
  readonly plant: NewPlant;
}

/** Inserts exactly `count` plants in one statement, numbered from `first`; those whose id is taken are left out. */
export class RowsInsert {
  readonly #insert: Statement;

  constructor(
    database: Database,
    readonly count: number,
  ) {
    const rows = Array.from({ length: count }, (_, row) => {
      const parameter = 3 + 4 * row;
      return `(?2 + ${row}, ?${parameter}, ?${parameter + 1}, ?${parameter + 2}, ?${parameter + 3}, ?1, ?1)`;
    });
    this.#insert = database.prepare(
      `INSERT INTO plants (number, account, id, name, tag, created_at, updated_at) VALUES ${rows.join(", ")} ON CONFLICT (account, id) DO NOTHING`,
    );
  }

  /** Returns how many there were. */
  run(creations: readonly Creation[], now: number, first: number): number {
    const parameters: (string | number | bigint | null)[] = [now, first];
    for (const { account, plant } of creations) parameters.push(account, plant.id, plant.name, plant.tag ?? null);
    return this.#insert.run(...parameters).changes;
  }
}
