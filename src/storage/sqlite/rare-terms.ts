import { type AskedTerms, searchExpression } from "./search-terms.ts";
import type { SearchedRange } from "./searched-ranges.ts";

const PROBED_PLANTS = 500;
const PROBED_RANGES = 16;
/** A more common term costs more to follow than it saves in plants that are read in vain. */
const TIMES_AS_COMMON_MAX = 8;
const CHOSEN_LENGTH_MAX = 4;

export interface Choice {
  readonly expression: string;
  /** The approximate number of plants that the expression finds, for which it is looked up in some ranges. */
  plants(): number;
}

/**
 * Chooses the terms to ask the index for. The index stores the plants of each term in the order of their insertion numbers,
 * so the first few of some ranges show how dense they are. FTS5 intersects terms step by step, which is slow if a rare term has to be
 * matched with a common one: it is faster to use only the rarest, with those about as rare, and to compare each plant
 * afterwards.
 */
export function chosenTerms(asked: AskedTerms, ranges: readonly SearchedRange[]): Choice {
  const step = Math.ceil(ranges.length / PROBED_RANGES);
  const sample = ranges.filter((_, at) => at % step === 0);
  const numbers = numbersIn(ranges);
  const probed = (expression: string) => {
    let plants = 0;
    let numbersRead = 0;
    for (const range of sample) {
      const first = range.statements.first.get(expression, range.first, range.last, PROBED_PLANTS - plants);
      plants += first?.plants ?? 0;
      const last = first && plants >= PROBED_PLANTS ? first.last : range.last;
      numbersRead += last - range.first + 1;
      if (plants >= PROBED_PLANTS) break;
    }
    return plants && (plants * numbers) / numbersRead;
  };
  const probes = [asked.scope, ...asked.trigrams]
    .map((term) => ({ term, plants: probed(searchExpression({ ...asked, scope: term }, [term])) }))
    .sort((a, b) => a.plants - b.plants);
  const plants = probes[0]?.plants ?? 0;
  const alike = probes.filter((probe) => probe.plants <= plants * TIMES_AS_COMMON_MAX).slice(0, CHOSEN_LENGTH_MAX);
  const chosen = plants < PROBED_PLANTS ? probes.slice(0, 1) : alike;
  const expression = searchExpression(
    asked,
    chosen.map(({ term }) => term),
  );
  return { expression, plants: () => (chosen.length > 1 ? probed(expression) : plants) };
}

function numbersIn(ranges: readonly SearchedRange[]): number {
  return ranges.reduce((numbers, { first, last }) => numbers + last - first + 1, 0);
}
