import type { Database, Statement } from "bun:sqlite";
import { type AskedTerms, searchExpression } from "./search-terms.ts";

const PROBED_PLANTS = 500;
/** A term that is more common costs more to follow than it spares in plants that are read for nothing. */
const TIMES_AS_COMMON_MAX = 8;
const CHOSEN_LENGTH_MAX = 4;

export interface Choice {
  /** The query for the index. */
  readonly expression: string;
  /** About how many plants have the rarest term. */
  readonly plants: number;
}

interface Probe {
  readonly term: string;
  /** About how many plants have it. */
  readonly plants: number;
}

/**
 * Chooses which of the terms to ask the index for. It keeps each term's plants in the order of their insertion numbers,
 * so the first few tell how thickly they stand. FTS5 meets the terms in step, which is slow where a rare one has to
 * drag a common one along: the rarest alone, with those about as rare, and then a look at each plant, is faster.
 */
export class RareTerms {
  readonly #probe: Statement<{ plants: number; last: number }, [string, number]>;

  constructor(database: Database) {
    this.#probe = database.prepare(
      "SELECT count(*) AS plants, max(rowid) AS last FROM (SELECT rowid FROM plant_search WHERE plant_search MATCH ? LIMIT ?)",
    );
  }

  /** `mark` is the highest insertion number in the index. */
  choose(asked: AskedTerms, mark: number): Choice {
    const probes = [asked.scope, ...asked.trigrams].map((term) => this.#probed(asked, term, mark));
    probes.sort((a, b) => a.plants - b.plants);
    const plants = probes[0]?.plants ?? 0;
    const alike = probes.filter((probe) => probe.plants <= plants * TIMES_AS_COMMON_MAX).slice(0, CHOSEN_LENGTH_MAX);
    const chosen = plants < PROBED_PLANTS ? probes.slice(0, 1) : alike;
    const terms = chosen.map(({ term }) => term);
    return { expression: searchExpression(asked, terms), plants };
  }

  #probed(asked: AskedTerms, term: string, mark: number): Probe {
    const alone = searchExpression({ ...asked, scope: term }, [term]);
    const { plants, last } = this.#probe.get(alone, PROBED_PLANTS) ?? { plants: 0, last: 0 };
    return { term, plants: plants < PROBED_PLANTS ? plants : (plants * mark) / last };
  }
}
