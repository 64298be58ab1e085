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

/** Somebody who belongs to a store. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Milliseconds since 1970; of who made the store, that time. */
  readonly joinedAt: number;
  /** Who gave the role: a person, or the rules for an identity provider. */
  readonly source: "hand" | "oidc";
  /** True for a second factor or a passkey. */
  readonly hasSecondFactor: boolean;
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

export function personUnknown(): Failure {
  return new Failure("resource-unknown", "Nobody with this id belongs to the store; they may have been removed");
}

export function lastOwner(): Failure {
  return new Failure("last-owner", "The store would have no owner: make somebody else an owner first");
}
