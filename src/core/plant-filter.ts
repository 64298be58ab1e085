import { Failure } from "./failure.ts";
import { foldedForms } from "./fold.ts";
import type { NewPlant } from "./plant.ts";
import type { PlantChoice } from "./records.ts";
import { isStorableText } from "./text.ts";

/** Each word is compared with each name that is read, and a name may have a million characters. */
export const SEARCH_WORDS_MAX = 100;

/** The folded forms of a word: one, or two if it has umlauts. A name matches if it holds either. */
export type SearchWord = readonly string[];

/** The plants that a query asks for, in a form that is quick to match against many plants. */
export interface PlantFilter {
  readonly tag: string | undefined;
  /** A name must hold all of these distinct words. The longest comes first, since it is usually the rarest. */
  readonly words: readonly SearchWord[];
  readonly open: boolean;
  /** True if no plant can pass, because the filter asks for text that cannot be stored. */
  readonly closed: boolean;
}

/** Throws "address-malformed" for too many words. */
export function plantFilter({ tag, q = "" }: PlantChoice): PlantFilter {
  const words = q === "" ? [] : wordsOf(q);
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
  const [name = "", spelled = name] = foldedForms(plant.name);
  for (const forms of filter.words) {
    if (!holdsOne(name, forms) && (spelled === name || !holdsOne(spelled, forms))) return false;
  }
  return true;
}

function holdsOne(name: string, forms: SearchWord): boolean {
  for (const form of forms) if (name.includes(form)) return true;
  return false;
}

function wordsOf(q: string): SearchWord[] {
  const [first = [], spelled = first] = foldedForms(q).map((form) => form.split(" "));
  const words = first.map((word, at): SearchWord => [...new Set([word, spelled[at] ?? word])]);
  const distinct = new Map(words.filter(([word]) => word !== "").map((forms) => [forms.join(" "), forms]));
  return [...distinct.values()].sort(([a = ""], [b = ""]) => b.length - a.length);
}
