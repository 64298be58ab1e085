import { Failure } from "./failure.ts";
import { foldCase } from "./fold.ts";
import type { NewPlant } from "./plant.ts";
import type { PlantChoice } from "./records.ts";
import { isStorableText } from "./text.ts";

/** Each word is compared with each name that is read, and a name may have a million characters. */
export const SEARCH_WORDS_MAX = 100;
const WHITE_SPACE = /\p{White_Space}+/u;

/** The plants that a query asks for, in a form that is quick to match against many plants. */
export interface PlantFilter {
  readonly tag: string | undefined;
  /** A name must hold all of them. Case-folded, each once, the longest first, since it is the rarest in most cases. */
  readonly words: readonly string[];
  readonly open: boolean;
  /** True if no plant can pass, because the filter asks for text that cannot be stored. */
  readonly closed: boolean;
}

/** Throws "address-malformed" for too many words. */
export function plantFilter({ tag, q = "" }: PlantChoice): PlantFilter {
  const words = wordsOf(q);
  if (words.length > SEARCH_WORDS_MAX) {
    throw new Failure(
      "address-malformed",
      `The query is malformed: "q" may have at most ${SEARCH_WORDS_MAX} different words, and has ${words.length}`,
    );
  }
  return {
    tag,
    words,
    open: tag === undefined && words.length === 0,
    closed: !isStorableText(tag ?? "") || !isStorableText(q),
  };
}

export function passes(filter: PlantFilter, plant: Pick<NewPlant, "name" | "tag">): boolean {
  if (filter.tag !== undefined && plant.tag !== filter.tag) return false;
  if (filter.words.length === 0) return true;
  const name = foldCase(plant.name);
  return filter.words.every((word) => name.includes(word));
}

function wordsOf(q: string): string[] {
  const words = foldCase(q)
    .split(WHITE_SPACE)
    .filter((word) => word !== "");
  return [...new Set(words)].sort((a, b) => b.length - a.length);
}
