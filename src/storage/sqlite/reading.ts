import type { AccountNumber, Plant } from "#core/plant.ts";
import type { PlantChoice, PlantPage, PlantQuery } from "#core/store.ts";
import type { CountedSlice } from "../match-count.ts";

/** The questions that the serving thread asks a reading thread, which gives one answer to each. */
export type Question =
  | { readonly kind: "search"; readonly account: AccountNumber; readonly query: PlantQuery }
  | {
      readonly kind: "count";
      readonly account: AccountNumber;
      readonly filter: PlantChoice;
      readonly after: bigint | undefined;
    }
  | { readonly kind: "tags"; readonly account: AccountNumber }
  | { readonly kind: "export"; readonly account: AccountNumber; readonly export: number }
  | { readonly kind: "export-more"; readonly export: number }
  | { readonly kind: "export-end"; readonly export: number };

export interface Answers {
  readonly search: PlantPage;
  readonly count: CountedSlice;
  readonly tags: readonly string[];
  readonly export: readonly Plant[];
  readonly "export-more": readonly Plant[];
  readonly "export-end": undefined;
}

export interface Asked {
  readonly path: string;
  readonly number: number;
  readonly question: Question;
}

export type Answered =
  | { readonly number: number; readonly answer: Answers[keyof Answers] }
  | { readonly number: number; readonly error: string; readonly isStorageError: boolean };
