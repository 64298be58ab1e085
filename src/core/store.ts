import { Failure } from "./failure.ts";
import type { AccountNumber } from "./plant.ts";
import { isStorableText } from "./text.ts";

/** A store holds plants, tokens, webhook endpoints and logs. The interface calls it an account. */
export interface Store {
  readonly number: AccountNumber;
  readonly id: string;
  readonly name: string;
  /** True for a store that is marked as one for trying things out. */
  readonly isTest: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The suspension of a store, which nobody may use until the operator resumes it. */
export interface Suspension {
  readonly reason: string | undefined;
}

/** The refusal of tokens, pages and streams of a suspended store. */
export function storeSuspended({ reason }: Suspension): Failure {
  const why = reason === undefined ? "" : `: ${reason}`;
  return new Failure("account-suspended", `This account was suspended by whoever runs the service${why}`);
}

/** A store with the e-mail addresses of its owners. */
export interface OwnedStore extends Store {
  readonly owners: readonly string[];
  /** Milliseconds since 1970; undefined unless it is suspended. */
  readonly suspendedAt: number | undefined;
}

/** A removed store, of which only the audit log is left. */
export type RemovedStore = Pick<Store, "number" | "id">;

export type NewStore = Pick<Store, "name" | "isTest">;

export const STORE_NAME_LENGTH_MAX = 100;

/** The end of a sentence about a store's name; undefined if it is allowed. */
export function storeNameProblem(name: string): string | undefined {
  const isAllowed = name.trim() === name && name.length >= 1 && name.length <= STORE_NAME_LENGTH_MAX;
  if (isAllowed && isStorableText(name)) return undefined;
  return `must have 1 to ${STORE_NAME_LENGTH_MAX} characters, and no white space at its ends`;
}
