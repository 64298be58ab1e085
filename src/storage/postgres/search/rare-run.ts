import type { AccountNumber } from "#core/plant.ts";
import type { LentConnection } from "../pool.ts";
import { partsOf } from "./search-text.ts";

const TRIGRAM_LENGTH = 3;
/** A trigram is common if one of this many texts has it. */
const COMMON_ONE_OF = 16;
/** How many characters of a text are used: its trigrams are counted in this thread, whose other readings wait meanwhile. */
const LOOKED_UP_CHARACTERS_MAX = 64;
/** The index reads all entries of a run, so a third one costs more than it narrows down. */
const RUNS_MAX = 2;

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
 * The patterns to look up in the trigram index for texts that match all of `patterns`, one or two; the results are
 * compared with `patterns` themselves. For a trigram that most texts have, the index reads all of its entries and
 * narrows down next to nothing, so such trigrams are left out.
 */
export async function indexPatterns(
  client: LentConnection,
  account: AccountNumber,
  mark: bigint,
  patterns: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(SAMPLE, [account, mark]);
  const texts = patterns.flatMap(partsOf);
  const runs = rareRuns(
    texts,
    rows.map(({ text }) => text),
  );
  return runs.map((run) => `%${run}%`);
}

/**
 * The longest run of each text's first characters whose trigrams few of the sampled texts have: those of the two rarest
 * texts. If every trigram is common, the beginning of one text.
 */
export function rareRuns(texts: readonly string[], sampled: readonly string[]): string[] {
  const having = (part: string) => sampled.filter((each) => each.includes(part)).length;
  const isRare = (part: string) => having(part) * COMMON_ONE_OF <= sampled.length;
  const starts = texts.map((text) => text.slice(0, LOOKED_UP_CHARACTERS_MAX / texts.length));
  const runs = starts.map((start) => rareRun(start, isRare)).filter((run) => run !== "");
  if (runs.length === 0) return starts.slice(0, 1);
  const counts = new Map(runs.map((run) => [run, having(run)]));
  return [...counts.keys()].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0)).slice(0, RUNS_MAX);
}

function rareRun(text: string, isRare: (trigram: string) => boolean): string {
  let longest = "";
  let start = 0;
  for (let at = 0; at + TRIGRAM_LENGTH <= text.length; at++) {
    if (!isRare(text.slice(at, at + TRIGRAM_LENGTH))) start = at + 1;
    else if (at + TRIGRAM_LENGTH - start > longest.length) longest = text.slice(start, at + TRIGRAM_LENGTH);
  }
  return longest;
}
