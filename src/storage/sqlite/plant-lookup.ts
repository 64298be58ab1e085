import type { AccountNumber, Plant } from "#core/plant.ts";
import { PLANT_COLUMNS, type PlantRow, plantFromRow } from "../plant-row.ts";
import { exact, type ReadConnection, type ReadStatement } from "./read-connection.ts";

export class PlantLookup {
  readonly #row: ReadStatement<PlantRow, [AccountNumber, bigint]>;
  readonly #count: ReadStatement<{ count: number }, [AccountNumber]>;
  readonly #greatestId: ReadStatement<{ id: bigint | null }, [AccountNumber]>;

  constructor(database: ReadConnection) {
    this.#row = exact(database, `SELECT ${PLANT_COLUMNS} FROM plants WHERE account = ? AND id = ?`);
    this.#count = database.prepare("SELECT coalesce(sum(count), 0) AS count FROM plant_counts WHERE account = ?");
    this.#greatestId = exact(database, "SELECT max(id) AS id FROM plants WHERE account = ?");
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

  greatestId(account: AccountNumber): bigint | undefined {
    return this.#greatestId.get(account)?.id ?? undefined;
  }
}
