import { type AskedTerms, searchExpression } from "./search-terms.ts";
import type { SearchedRange } from "./searched-ranges.ts";

const PROBED_PLANTS = 500;
const PROBED_RANGES = 16;
/** A more common term costs more to follow than it saves in plants that are read in vain. */
const TIMES_AS_COMMON_MAX = 8;
/** Each further one costs a walk through its list, and three far apart leave hardly a plant to be read in vain. */
const CHOSEN_LENGTH_MAX = 3;

interface Probe {
  readonly term: string;
  /** The term's position among the words' trigrams; the scope's is far from all of them. */
  readonly place: number;
  /** The approximate number of plants that have the term. */
  readonly plants: number;
}

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
  const probe = (term: string, place: number): Probe => {
    return { term, place, plants: probed(searchExpression({ ...asked, scope: term }, [term])) };
  };
  const probes = [probe(asked.scope, Number.NEGATIVE_INFINITY), ...asked.trigrams.map(probe)];
  probes.sort((a, b) => a.plants - b.plants);
  const plants = probes[0]?.plants ?? 0;
  const alike = probes.filter((probe) => probe.plants <= plants * TIMES_AS_COMMON_MAX);
  const chosen = plants < PROBED_PLANTS ? probes.slice(0, 1) : farApart(alike);
  const expression = searchExpression(
    asked,
    chosen.map(({ term }) => term),
  );
  return { expression, plants: () => (chosen.length > 1 ? probed(expression) : plants) };
}

/** The first, and those that are furthest from it and from each other: neighbouring trigrams are mostly on the same plants. */
function farApart([first, ...others]: readonly Probe[]): Probe[] {
  const chosen = first ? [first] : [];
  const distance = ({ place }: Probe) => Math.min(...chosen.map((other) => Math.abs(other.place - place)));
  while (chosen.length < CHOSEN_LENGTH_MAX && others.length > 0) {
    const furthest = others.reduce((best, other) => (distance(other) > distance(best) ? other : best));
    others.splice(others.indexOf(furthest), 1);
    chosen.push(furthest);
  }
  return chosen;
}

function numbersIn(ranges: readonly SearchedRange[]): number {
  return ranges.reduce((numbers, { first, last }) => numbers + last - first + 1, 0);
}
