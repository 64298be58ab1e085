import type { AccountNumber, Plant } from "#core/plant.ts";
import { PLANT_COLUMNS, type PlantRow, plantFromRow } from "../plant-row.ts";
import type { ReadConnection, ReadStatement } from "./read-connection.ts";

/** Finds single plants, and the stored count of an account's plants. */
export class PlantLookup {
  readonly #row: ReadStatement<PlantRow, [AccountNumber, bigint]>;
  readonly #count: ReadStatement<{ count: number }, [AccountNumber]>;

  constructor(database: ReadConnection) {
    this.#row = database.prepare(`SELECT ${PLANT_COLUMNS} FROM plants WHERE account = ? AND id = ?`);
    this.#row.safeIntegers(true);
    this.#count = database.prepare("SELECT coalesce(sum(count), 0) AS count FROM plant_counts WHERE account = ?");
  }

  row(account: AccountNumber, id: bigint): PlantRow | null {
    return this.#row.get(account, id);
  }

  find(account: AccountNumber, id: bigint): Plant | undefined {
    const row = this.row(account, id);
    return row ? plantFromRow(row) : undefined;
  }

  count(account: AccountNumber): number {
    return this.#count.get(account)?.count ?? 0;
  }
}
