import ipaddr from "ipaddr.js";
import type { Caller } from "#core/caller.ts";

/**
 * The one for whom a limit counts: an account by its number, also with the person who acts in it by a page, a person alone, as
 * in `person 7Xb2`, or the network of a caller without a good token or session.
 */
export type Subject = number | CountedCaller | string;

/** A caller as limits count it: as its store, and a person also as one of theirs. */
export type CountedCaller = Pick<Caller, "account" | "person">;

/** Counts a person who acts in no store alone. */
export function subjectOf({ account, person }: Partial<Pick<Caller, "account" | "person">>): Subject {
  return account === undefined ? `person ${person}` : { account, person };
}

/** Everything that a person does counts for the store as well. */
export function wholeOf(subject: Subject): number | string {
  return typeof subject === "object" ? subject.account : subject;
}

export function personOf(subject: Subject): string | undefined {
  return typeof subject === "object" ? subject.person : undefined;
}

/** The most that one person may have of the limit of a store, so that nobody takes all of it. */
export function shareOfPerson(each: number): number {
  return each / 2;
}

/**
 * The network by which limits count: an IPv4 address, or the first 64 bits of an IPv6 address, since a household or a
 * server has a whole /64 to itself (RFC 6177). An IPv4 address in IPv6 form counts as the IPv4 address.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}

export function holderOf(subject: number | string): "account" | "person" | "network" {
  if (typeof subject === "number") return "account";
  return subject.startsWith("person ") ? "person" : "network";
}
