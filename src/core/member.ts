import { Failure } from "./failure.ts";
import type { AccountNumber } from "./plant.ts";
import { RIGHTS, type Right, type Role } from "./role.ts";
import type { Suspension } from "./store.ts";

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
  /** Undefined unless the store is suspended. */
  readonly suspension: Suspension | undefined;
}

/** Somebody who belongs to a store. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Milliseconds since 1970. */
  readonly joinedAt: number;
  /** The source of the role: a person, or the rules for an identity provider. */
  readonly source: "hand" | "oidc";
  /** True for a second factor or a passkey. */
  readonly hasSecondFactor: boolean;
}

/** An invitation to a store. It ends when its maker is no longer an owner. Times are milliseconds since 1970. */
export interface Invitation {
  readonly id: string;
  readonly account: AccountNumber;
  /** The invited address, in lower case. Only a person with this address can accept. */
  readonly email: string;
  readonly role: Role;
  /** True if its secret was mailed, so that accepting it proves access to the mailbox. */
  readonly mailed: boolean;
  /** The id of the person who made it; undefined for the operator. */
  readonly madeBy: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An invitation with what its page says before anything is asked. */
export interface OpenInvitation extends Invitation {
  readonly storeId: string;
  readonly storeName: string;
  /** The name of who made it; undefined for the operator. */
  readonly invitedBy: string | undefined;
}

export function roleRefused(right: Right): Failure {
  return new Failure(
    "role-refused",
    `Your role in this store does not allow this: it takes the role ${RIGHTS[right][0]}`,
  );
}

/** The sentence begins with who asks for it, as in "Greenleaf asks for". */
export function secondFactorMissing(reason: string): Failure {
  const message = `${reason} a second factor or a passkey: add one under Settings, Security`;
  return new Failure("second-factor-missing", message);
}

export function storeUnknown(): Failure {
  return new Failure("resource-unknown", "You belong to no such store; it may be that you were removed from it");
}

export function personUnknown(who = "this id"): Failure {
  return new Failure("resource-unknown", `Nobody with ${who} belongs to the store; they may have been removed`);
}

/** `names` are the stores to name when they are not the one on the page. */
export function lastOwner(names: readonly string[] = []): Failure {
  const stores = names.length === 0 ? "The store" : names.join(", ");
  return new Failure("last-owner", `${stores} would have no owner: make somebody else an owner first`);
}

/** The stores of a person who is removed are others than those that they were shown. */
export function changedMeanwhile(): Failure {
  const message =
    "This has changed meanwhile: look again at the stores that go with the account, and at those that stay";
  return new Failure("changed-meanwhile", message);
}

export function memberAlready(email: string): Failure {
  return new Failure("member-already", `${email} belongs to this store already`);
}

export function invitationRefused(): Failure {
  return new Failure("link-refused", "This invitation was used or revoked, or is too old; ask for another one");
}

/** The address of the page that takes an invitation. */
export function invitationLink(origin: string, secret: string): string {
  return `${origin}/dashboard/invitation?token=${secret}`;
}
