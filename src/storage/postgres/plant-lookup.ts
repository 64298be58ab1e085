import type { AccountNumber, Plant } from "#core/plant.ts";
import { type PlantRow, plantFromRow } from "../plant-row.ts";
import { toFailure } from "./errors.ts";
import type { Pool } from "./pool.ts";

const FIND = `
SELECT number::text, id::text, name, tag, revision, created_at, updated_at FROM plants WHERE account = $1 AND id = $2`;

const COUNT = "SELECT coalesce(sum(count), 0)::bigint AS count FROM plant_counts WHERE account = $1";

const GREATEST_ID = "SELECT max(id)::text AS id FROM plants WHERE account = $1";

/** Finds single plants, and the stored count of an account's plants. */
export class PlantLookup {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async find(account: AccountNumber, id: bigint): Promise<Plant | undefined> {
    const row = await this.row(FIND, account, id);
    return row && plantFromRow(row);
  }

  async count(account: AccountNumber): Promise<number> {
    return (await this.#first<{ count: number }>(COUNT, [account]))?.count ?? 0;
  }

  async greatestId(account: AccountNumber): Promise<bigint | undefined> {
    const id = (await this.#first<{ id: string | null }>(GREATEST_ID, [account]))?.id;
    return id == null ? undefined : BigInt(id);
  }

  /** The row that a statement with the parameters of FIND gives. */
  row(text: string, account: AccountNumber, id: bigint): Promise<PlantRow | undefined> {
    return this.#first<PlantRow>(text, [account, id]);
  }

  async #first<Row extends object>(text: string, values: unknown[]): Promise<Row | undefined> {
    try {
      return (await this.#pool.query<Row>(text, values)).rows[0];
    } catch (error) {
      throw toFailure(error);
    }
  }
}
