import ipaddr from "ipaddr.js";
import type { Caller, StoreCaller } from "#core/caller.ts";

/** A caller in a store. What a person does counts for the store and for the person. */
export type CountedInStore = Pick<StoreCaller, "account" | "person">;

/**
 * The one for whom a limit counts: a store by its number, a caller in a store, a person who acts in none, as in
 * `person 7Xb2`, or the network of a caller without a good token or session.
 */
export type CountedAs = number | CountedInStore | string;

/** The subject of a caller: the caller in a store, for whom both count, or the person alone if they act in no store. */
export function countedAs(caller: Pick<Caller, "account" | "person">): CountedAs {
  return isInStore(caller) ? caller : `person ${caller.person}`;
}

/** A key that counts the acts of each person in a store separately, so that one person's acts use up nothing of the others'. */
export function countedActsOf({ account, person = "" }: Pick<Caller, "account" | "person">): string {
  return [account, person].filter(Boolean).join(" ");
}

function isInStore(caller: Pick<Caller, "account" | "person">): caller is CountedInStore {
  return caller.account !== undefined;
}

/** The store of a caller in a store, since what a person does counts for it as well; or else the subject itself. */
export function wholeOf(subject: CountedAs): number | string {
  return typeof subject === "object" ? subject.account : subject;
}

export function personOf(subject: CountedAs): string | undefined {
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
