import ipaddr from "ipaddr.js";

/** Who a limit counts for: an account by its number, or the network of a caller without a good token or session. */
export type Subject = number | string;

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

export function holderOf(subject: Subject): "account" | "network" {
  return typeof subject === "string" ? "network" : "account";
}
