import { type AskedTerms, searchExpression } from "./search-terms.ts";
import type { SearchedRange } from "./searched-ranges.ts";

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
 * Chooses the terms to ask the index for. The index stores the plants of each term in the order of their insertion numbers,
 * so the first few show how dense they are. FTS5 intersects terms step by step, which is slow if a rare term has to be
 * matched with a common one: it is faster to use only the rarest, with those about as rare, and to compare each plant
 * afterwards.
 */
export function chosenTerms(asked: AskedTerms, ranges: readonly SearchedRange[]): Choice {
  const mark = ranges.at(-1)?.last ?? 0;
  const probed = (term: string) => {
    const alone = searchExpression({ ...asked, scope: term }, [term]);
    let plants = 0;
    for (const range of ranges) {
      const first = range.statements.first.get(alone, range.first, range.last, PROBED_PLANTS - plants);
      plants += first?.plants ?? 0;
      if (first && plants >= PROBED_PLANTS) return { term, plants: (plants * mark) / first.last };
    }
    return { term, plants };
  };
  const probes = [asked.scope, ...asked.trigrams].map(probed).sort((a, b) => a.plants - b.plants);
  const plants = probes[0]?.plants ?? 0;
  const alike = probes.filter((probe) => probe.plants <= plants * TIMES_AS_COMMON_MAX).slice(0, CHOSEN_LENGTH_MAX);
  const chosen = plants < PROBED_PLANTS ? probes.slice(0, 1) : alike;
  const terms = chosen.map(({ term }) => term);
  return { expression: searchExpression(asked, terms), plants };
}
