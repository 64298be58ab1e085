import type { AccountNumber, Plant } from "#core/plant.ts";
import { type PlantRow, plantFromRow } from "../plant-row.ts";
import type { Pool } from "./pool.ts";

const FIND = `
SELECT number::text, id::text, name, tag, revision, created_at, updated_at FROM plants WHERE account = $1 AND id = $2`;

const COUNT = "SELECT coalesce(sum(count), 0)::bigint AS count FROM plant_counts WHERE account = $1";

const GREATEST_ID = "SELECT max(id)::text AS id FROM plants WHERE account = $1";

export class PlantLookup {
  constructor(private readonly pool: Pool) {}

  async find(account: AccountNumber, id: bigint): Promise<Plant | undefined> {
    const row = await this.row(FIND, account, id);
    return row && plantFromRow(row);
  }

  async count(account: AccountNumber): Promise<number> {
    const [row] = await this.pool.rows<{ count: number }>(COUNT, [account]);
    return row?.count ?? 0;
  }

  async greatestId(account: AccountNumber): Promise<bigint | undefined> {
    const [row] = await this.pool.rows<{ id: string | null }>(GREATEST_ID, [account]);
    return row?.id == null ? undefined : BigInt(row.id);
  }

  /** The row that a statement with the parameters of FIND gives. */
  async row(text: string, account: AccountNumber, id: bigint): Promise<PlantRow | undefined> {
    return (await this.pool.rows<PlantRow>(text, [account, id]))[0];
  }
}
