import type { AccountNumber } from "./plant.ts";
import { isStorableText } from "./text.ts";

/** What holds plants, tokens, webhook endpoints and logs. The interface calls it an account. */
export interface Store {
  readonly number: AccountNumber;
  readonly id: string;
  readonly name: string;
  /** True for a store that is marked as one for trying things out. */
  readonly isTest: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A store with the e-mail addresses of its owners. */
export interface OwnedStore extends Store {
  readonly owners: readonly string[];
}

export type NewStore = Pick<Store, "name" | "isTest">;

export const STORE_NAME_LENGTH_MAX = 100;

/** The end of a sentence about a store's name; undefined if it is allowed. */
export function storeNameProblem(name: string): string | undefined {
  const isAllowed = name.trim() === name && name.length >= 1 && name.length <= STORE_NAME_LENGTH_MAX;
  if (isAllowed && isStorableText(name)) return undefined;
  return `must have 1 to ${STORE_NAME_LENGTH_MAX} characters, and no white space at its ends`;
}
