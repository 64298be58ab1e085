import type { AccountNumber } from "#core/plant.ts";
import type { LentConnection } from "../pool.ts";

const TRIGRAM_LENGTH = 3;
/** A trigram is common if one of this many texts has it. */
const COMMON_ONE_OF = 16;
/** Of a longer text only the first characters are used, since each trigram is counted on the serving thread. */
const LOOKED_UP_CHARACTERS_MAX = 64;

/** $1 account, $2 mark: some texts from each of 16 positions among the account's indexed plants. */
const SAMPLE = `
WITH ends AS (SELECT min(number) AS first FROM plant_search WHERE account = $1)
SELECT text FROM ends CROSS JOIN generate_series(0, 15) AS step
CROSS JOIN LATERAL (
  SELECT text FROM plant_search WHERE account = $1 AND number >= first + ($2 - first) * step / 16
  ORDER BY number LIMIT 16
) AS read
WHERE text IS NOT NULL`;

/**
 * The pattern to look up in the trigram index for texts that match `pattern`; the results are compared with `pattern`
 * itself. For a trigram that most texts have, the index reads all of its entries and narrows down next to nothing, so
 * such trigrams are left out.
 */
export async function indexPattern(
  client: LentConnection,
  account: AccountNumber,
  mark: bigint,
  pattern: string,
): Promise<string> {
  const { rows } = await client.query<{ text: string }>(SAMPLE, [account, mark]);
  const sampled = rows.map(({ text }) => text);
  return `%${rareRun(pattern.slice(1, -1), sampled)}%`;
}

/**
 * The longest run of the text's first 64 characters whose trigrams few of the sampled texts have; all 64 if each of
 * them is common.
 */
export function rareRun(wholeText: string, sampled: readonly string[]): string {
  const text = wholeText.slice(0, LOOKED_UP_CHARACTERS_MAX);
  let longest = "";
  let start = 0;
  for (let at = 0; at + TRIGRAM_LENGTH <= text.length; at++) {
    const trigram = text.slice(at, at + TRIGRAM_LENGTH);
    const having = sampled.filter((each) => each.includes(trigram)).length;
    if (having * COMMON_ONE_OF > sampled.length) start = at + 1;
    else if (at + TRIGRAM_LENGTH - start > longest.length) longest = text.slice(start, at + TRIGRAM_LENGTH);
  }
  return longest === "" ? text : longest;
}
