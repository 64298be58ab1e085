import { Failure } from "./failure.ts";
import type { AccountNumber } from "./plant.ts";
import { RIGHTS, type Right, type Role } from "./role.ts";

/** A store as somebody belongs to it. */
export interface Membership {
  readonly account: AccountNumber;
  /** The id of the store. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** True for a store that is marked as one for trying things out. */
  readonly isTest: boolean;
  /** True if its people need a second factor or a passkey. */
  readonly needsSecondFactor: boolean;
}

export function roleRefused(right: Right): Failure {
  return new Failure(
    "role-refused",
    `Your role in this store does not allow this: it takes the role ${RIGHTS[right][0]}`,
  );
}

export function storeUnknown(): Failure {
  return new Failure("resource-unknown", "You belong to no such store; it may be that you were removed from it");
}
