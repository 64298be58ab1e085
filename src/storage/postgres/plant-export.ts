import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import { type PlantRow, plantFromRow } from "../plant-row.ts";
import { toFailure } from "./errors.ts";
import { BEGIN_ORDERED } from "./ordered-reading.ts";
import type { LentConnection, Pool } from "./pool.ts";

const PAGE_ROWS = 500;
const PAGE_BYTES = 1024 * 1024;

/** $1 account, $2 the first id, $3 bytes; returns at least one plant if there are any. */
const PAGE = `
WITH sized AS MATERIALIZED (
  SELECT *, id AS place, sum(octet_length(name) + coalesce(octet_length(tag), 0)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS size
  FROM (SELECT * FROM plants WHERE account = $1 AND id >= $2 ORDER BY id LIMIT ${PAGE_ROWS}) AS read
)
SELECT number::text, id::text, name, tag, revision, created_at, updated_at FROM sized
WHERE size - octet_length(name) - coalesce(octet_length(tag), 0) < $3 ORDER BY place`;

/**
 * Every plant of the account in id order, in pages, from one snapshot: a single transaction on a connection of its own.
 */
export async function* exportPages(pool: Pool, account: AccountNumber): AsyncGenerator<readonly Plant[], undefined> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN_ORDERED);
    for (let from: bigint | undefined = INT64_MIN; from !== undefined; ) {
      const start: bigint = from;
      const page: Plant[] = await pageFrom(client, account, start);
      if (page.length > 0) yield page;
      const last: bigint | undefined = page.at(-1)?.id;
      from = last === undefined || last === INT64_MAX ? undefined : last + 1n;
    }
  } catch (error) {
    throw toFailure(error);
  } finally {
    await client.query("ROLLBACK").catch(() => undefined);
    client.release();
  }
}

async function pageFrom(client: LentConnection, account: AccountNumber, from: bigint): Promise<Plant[]> {
  const { rows } = await client.query<PlantRow>(PAGE, [account, from, PAGE_BYTES]);
  return rows.map(plantFromRow);
}
