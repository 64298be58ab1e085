import type { AccountNumber } from "#core/plant.ts";
import type { Pool } from "../pool.ts";

const ROWS_AT_ONCE = 2000;

/** The rows of an account in the search index, which are removed with the account. */
export class SearchRows {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The mark is removed first: without it nothing is added any more. */
  async removeAll(account: AccountNumber): Promise<void> {
    await this.#pool.query("DELETE FROM plant_search_marks WHERE account = $1", [account]);
    await this.#removeFrom("plant_search_changes", "serial", account);
    await this.#removeFrom("plant_search", "number", account);
  }

  async #removeFrom(table: string, key: string, account: AccountNumber): Promise<void> {
    const first = `SELECT ${key} FROM ${table} WHERE account = $1 ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}`;
    const removal = `DELETE FROM ${table} WHERE account = $1 AND ${key} IN (${first})`;
    while (((await this.#pool.query(removal, [account])).rowCount ?? 0) > 0);
  }
}
