import { foldedForms } from "#core/fold.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { PlantFilter, SearchWord } from "#core/plant-filter.ts";

/** The columns of a plant in the index; each is cut into trigrams. */
export interface SearchTerms {
  readonly account: string;
  readonly name: string | null;
  readonly tag: string | null;
}

/** A longer name is stored as a single term, so that no plant occupies the writing thread for long. */
const INDEXED_NAME_LENGTH_MAX = 1000;
const TRIGRAM_LENGTH = 3;
/** Enough to narrow a search down; the results are compared with the plants anyway. */
const TRIGRAMS_LENGTH_MAX = 12;

export function searchTerms(account: AccountNumber, name: string, tag: string | null): SearchTerms {
  const long = name.length > INDEXED_NAME_LENGTH_MAX;
  return {
    account: accountTerm(account),
    name: long ? longNameTerm(account) : foldedForms(name).join("\n"),
    tag: tag === null ? null : tagTerm(account, tag),
  };
}

/** The terms that a plant matching the filter is indexed under, as FTS5 queries. */
export interface AskedTerms {
  /** The account, or the account with the tag. */
  readonly scope: string;
  /** The trigrams of the name, unless it is too long for the index; those of either form where forms share none. */
  readonly trigrams: readonly string[];
  readonly longName: string;
}

/** Undefined if the index cannot narrow down the account's plants, as with words of one or two characters. */
export function askedTerms(account: AccountNumber, { words, tag }: PlantFilter): AskedTerms | undefined {
  const trigrams = trigramsOf(words);
  if (trigrams.length === 0 && tag === undefined) return undefined;
  const scope = tag === undefined ? accountTerm(account) : tagTerm(account, tag);
  return { scope: quoted(scope), trigrams, longName: quoted(longNameTerm(account)) };
}

/**
 * The FTS5 query that finds at least every plant indexed under `chosen`, a selection of the terms asked for, and the
 * plants with long names unless these cannot match.
 */
export function searchExpression({ scope, longName }: AskedTerms, chosen: readonly string[]): string {
  const all = chosen.join(" AND ");
  return chosen.every((term) => term === scope) ? all : `(${all}) OR ${longName}`;
}

/** The trigrams of the words; if there are many, a selection from all over them. */
function trigramsOf(words: readonly SearchWord[]): string[] {
  const all = words.flatMap((forms) => {
    const [first = [], ...others] = forms.map(trigramsIn);
    const shared = first.filter((term) => others.every((terms) => terms.includes(term)));
    return shared.length > 0 ? shared : eitherOf([first, ...others]);
  });
  const step = Math.ceil(all.length / TRIGRAMS_LENGTH_MAX);
  return [...new Set(all.filter((_, at) => at % step === 0))];
}

function trigramsIn(form: string): string[] {
  const characters = [...form];
  const starts = characters.slice(TRIGRAM_LENGTH - 1);
  return starts.map((_, at) => quoted(characters.slice(at, at + TRIGRAM_LENGTH).join("")));
}

function eitherOf(forms: readonly (readonly string[])[]): string[] {
  if (forms.some((terms) => terms.length === 0)) return [];
  return [`(${forms.map((terms) => `(${terms.slice(0, TRIGRAM_LENGTH).join(" AND ")})`).join(" OR ")})`];
}

/*
 * A number as one trigram: three characters of a private area (Unicode 16, 23.5), 15 bits in each. Should a name hold
 * the same characters, it is found too, and dropped when compared.
 */
const ACCOUNT_AREA = 0xf0000;
const LONG_NAME_AREA = 0xf8000;
const TAG_AREA = 0x100000;

function accountTerm(account: AccountNumber): string {
  return privateTrigram(ACCOUNT_AREA, BigInt(account));
}

function longNameTerm(account: AccountNumber): string {
  return privateTrigram(LONG_NAME_AREA, BigInt(account));
}

/** The account is the seed of the hash, so an account's plants with one tag are next to each other. */
function tagTerm(account: AccountNumber, tag: string): string {
  return privateTrigram(TAG_AREA, Bun.hash.xxHash64(tag, BigInt(account)));
}

function privateTrigram(area: number, value: bigint): string {
  const bits = (shift: bigint) => area + Number((value >> shift) & 0x7fffn);
  return String.fromCodePoint(bits(30n), bits(15n), bits(0n));
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
