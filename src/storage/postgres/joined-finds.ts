import { storageUnavailable } from "#core/failure.ts";
import type { AccountNumber, LongPlant, Plant } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import { INLINE_READ, type PlantRow, shortPlantFromRow, textsUpTo } from "../plant-row.ts";
import { int8Array } from "./binary-array.ts";
import { asFailure } from "./errors.ts";
import { FEW_GIVEN } from "./plant-change.ts";
import { msUntil, type Pool, WAIT_MS_MAX } from "./pool.ts";

const FIND_PLANTS = {
  name: "find plants",
  text: `
SELECT account, number::text, id::text, revision, created_at, updated_at, ${textsUpTo(INLINE_READ.each)}
FROM unnest($1::bigint[], $2::bigint[]) AS given (account, id) JOIN plants USING (account, id)
WHERE ${FEW_GIVEN}`,
};
/** Two queries at once keep the database busy; the other connections stay free for jobs. */
const QUERIES_MAX = 2;
/** How many reads a query joins: with the longest texts that are read here, it returns 16 MiB. */
const LENGTH_MAX = 64;

type Found = Plant | LongPlant | undefined;

interface Waiting {
  readonly account: AccountNumber;
  readonly id: bigint;
  readonly since: number;
  resolve(found: Found): void;
  reject(error: unknown): void;
}

/**
 * Finds single plants, those that wait at the same time by one query. A find joins only a query that has not been sent
 * yet, so it sees everything that was answered before it began. Accounts take turns: each query takes one find of each
 * account after the other.
 */
export class JoinedFinds implements Pick<PlantRecords, "find"> {
  /** Waiting reads by account, in the order of service. */
  readonly #waiting = new Map<AccountNumber, Waiting[]>();
  #underWay = 0;
  #isGathering = false;

  constructor(private readonly pool: Pool) {}

  find(account: AccountNumber, id: bigint): Promise<Found> {
    return new Promise((resolve, reject) => {
      const finds = this.#waiting.get(account) ?? [];
      this.#waiting.set(account, finds);
      finds.push({ account, id, since: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  /** Waits for the other requests that have arrived, which the event loop hands over in the same turn. */
  #schedule(): void {
    if (this.#isGathering || this.#underWay === QUERIES_MAX || this.#waiting.size === 0) return;
    this.#isGathering = true;
    setImmediate(() => {
      this.#isGathering = false;
      void this.#query(this.#next());
      this.#schedule();
    });
  }

  #next(): Waiting[] {
    const next: Waiting[] = [];
    while (next.length < LENGTH_MAX && this.#waiting.size > 0) {
      for (const [account, finds] of this.#waiting) {
        const find = finds.shift();
        // The account is the last to be served next.
        this.#waiting.delete(account);
        if (finds.length > 0) this.#waiting.set(account, finds);
        if (find) next.push(find);
        break;
      }
    }
    return next;
  }

  async #query(finds: readonly Waiting[]): Promise<void> {
    this.#underWay++;
    try {
      const found = await asFailure(() => this.#read(finds));
      for (const find of finds) find.resolve(found.get(keyOf(find)));
    } catch (error) {
      for (const find of finds) find.reject(error);
    }
    this.#underWay--;
    this.#schedule();
  }

  async #read(finds: readonly Waiting[]): Promise<Map<string, Found>> {
    const deadline = Math.min(...finds.map(({ since }) => since)) + WAIT_MS_MAX;
    if (performance.now() >= deadline) throw storageUnavailable();
    const distinct = [...new Map(finds.map((find) => [keyOf(find), find])).values()];
    const values = [int8Array(distinct.map(({ account }) => account)), int8Array(distinct.map(({ id }) => id))];
    const query = { ...FIND_PLANTS, query_timeout: msUntil(deadline) };
    const { rows } = await this.pool.query<PlantRow & { readonly account: number }>(query, values);
    return new Map(rows.map((row) => [keyOf({ account: row.account, id: row.id }), shortPlantFromRow(row)]));
  }
}

function keyOf({ account, id }: { readonly account: AccountNumber; readonly id: bigint | string }): string {
  return `${account}:${id}`;
}
