import type { AccountNumber } from "#core/plant.ts";
import { SAMPLED_PLANTS_MAX, SUGGESTED_TAG, sampleOf, TAGS_SUGGESTED_MAX } from "../tag-sample.ts";
import type { Lent } from "./pool.ts";

/** $1 account, $2 stretches, $3 plants in each. */
const TAGS = `
WITH ends AS (SELECT min(number) AS first, max(number) AS last FROM plants WHERE account = $1),
lengths AS (SELECT last, ceil((last - first + 1)::numeric / $2)::bigint AS length FROM ends),
sample AS (
  SELECT read.tag FROM lengths CROSS JOIN generate_series(0, $2::bigint - 1) AS stretch CROSS JOIN LATERAL (
    SELECT ${SUGGESTED_TAG} AS tag FROM plants
    WHERE account = $1 AND number > last - length * (stretch + 1) AND number <= last - length * stretch
    ORDER BY number DESC LIMIT $3
  ) AS read
)
SELECT tag FROM sample WHERE tag IS NOT NULL GROUP BY tag ORDER BY count(*) DESC, tag COLLATE "C" LIMIT ${TAGS_SUGGESTED_MAX}`;

const COUNT = `
SELECT least(coalesce(sum(count), 0), ${SAMPLED_PLANTS_MAX + 1})::int AS count FROM plant_counts WHERE account = $1`;

export async function suggestedTags(client: Lent, account: AccountNumber): Promise<readonly string[]> {
  const { rows: counts } = await client.query<{ count: number }>(COUNT, [account]);
  const { stretches, plantsEach } = sampleOf(counts[0]?.count ?? 0);
  const { rows } = await client.query<{ tag: string }>(TAGS, [account, stretches, plantsEach]);
  return rows.map(({ tag }) => tag);
}
