import type { AccountNumber } from "#core/plant.ts";
import { COUNT_PLANTS } from "../plant-row.ts";
import { SUGGESTED_TAG, sampleOf, TAGS_SUGGESTED_MAX } from "../tag-sample.ts";
import type { LentConnection } from "./pool.ts";

/** $1 account, $2 the shift of each range, $3 the number of plants in each. */
const TAGS = `
WITH ends AS (SELECT min(number) AS first, max(number) AS last FROM plants WHERE account = $1),
lengths AS (SELECT last, ceil((last - first + 1)::numeric / cardinality($2::float8[]))::bigint AS length FROM ends),
sample AS (
  SELECT read.tag FROM lengths CROSS JOIN unnest($2::float8[]) WITH ORDINALITY AS stretches (shift, at)
  CROSS JOIN LATERAL (SELECT last - floor((at - 1 + shift) * length)::bigint AS final) AS ends
  CROSS JOIN LATERAL (
    SELECT ${SUGGESTED_TAG} AS tag FROM plants
    WHERE account = $1 AND number > final - length AND number <= final
    ORDER BY number DESC LIMIT $3
  ) AS read
)
SELECT tag FROM sample WHERE tag IS NOT NULL GROUP BY tag ORDER BY count(*) DESC, tag COLLATE "C" LIMIT ${TAGS_SUGGESTED_MAX}`;

export async function suggestedTags(client: LentConnection, account: AccountNumber): Promise<readonly string[]> {
  const { rows: counts } = await client.query<{ count: number }>(COUNT_PLANTS, [account]);
  const { shifts, plantsEach } = sampleOf(counts[0]?.count ?? 0);
  const { rows } = await client.query<{ tag: string }>(TAGS, [account, shifts, plantsEach]);
  return rows.map(({ tag }) => tag);
}
