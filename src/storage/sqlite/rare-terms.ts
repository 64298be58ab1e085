import type { Database } from "bun:sqlite";
import { type AskedTerms, searchExpression } from "./search-terms.ts";

const PROBED_PLANTS = 500;
/** A more common term costs more to follow than it saves in plants that are read in vain. */
const TIMES_AS_COMMON_MAX = 8;
const CHOSEN_LENGTH_MAX = 4;

export interface Choice {
  readonly expression: string;
  /** The approximate number of plants with the rarest term. */
  readonly plants: number;
}

/**
 * Chooses the terms to ask the index for, up to the insertion number `mark`. The index stores the plants of each term in
 * the order of their insertion numbers, so the first few show how dense they are. FTS5 intersects terms step by step,
 * which is slow if a rare term has to be matched with a common one: it is faster to use only the rarest, with those about
 * as rare, and to compare each plant afterwards.
 */
export function termChooser(database: Database): (asked: AskedTerms, mark: number) => Choice {
  const first = database.prepare<{ plants: number; last: number }, [string, number]>(
    "SELECT count(*) AS plants, max(rowid) AS last FROM (SELECT rowid FROM plant_search WHERE plant_search MATCH ? LIMIT ?)",
  );
  return (asked, mark) => {
    const probed = (term: string) => {
      const alone = searchExpression({ ...asked, scope: term }, [term]);
      const { plants, last } = first.get(alone, PROBED_PLANTS) ?? { plants: 0, last: 0 };
      return { term, plants: plants < PROBED_PLANTS ? plants : (plants * mark) / last };
    };
    const probes = [asked.scope, ...asked.trigrams].map(probed).sort((a, b) => a.plants - b.plants);
    const plants = probes[0]?.plants ?? 0;
    const alike = probes.filter((probe) => probe.plants <= plants * TIMES_AS_COMMON_MAX).slice(0, CHOSEN_LENGTH_MAX);
    const chosen = plants < PROBED_PLANTS ? probes.slice(0, 1) : alike;
    const terms = chosen.map(({ term }) => term);
    return { expression: searchExpression(asked, terms), plants };
  };
}
