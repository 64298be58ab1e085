import ipaddr from "ipaddr.js";
import { isLoopbackName } from "#contract/loopback-name.ts";
import { inTime } from "#core/deadline.ts";
import { Networks } from "#core/networks.ts";
import type { DeliveryError } from "#core/webhook.ts";

/** The addresses of IPv6 that IANA gives out; outside of them are former and special ones. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** The addresses that webhooks may call beside public ones: those in WEBHOOK_NETWORKS, where http is allowed too. */
export class AllowedNetworks extends Networks {
  allow(address: string, protocol: string): boolean {
    return (protocol === "https:" && isPublic(address)) || this.includes(address);
  }
}

/** An IPv4 address in IPv6 form counts as the IPv4 address. */
function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return false;
  return address.range() === "unicast";
}

export type Lookup = (host: string) => Promise<readonly string[]>;

/**
 * Looks a host up with c-ares, which needs no thread. The system's resolver blocks one of the process's few threads while a
 * name server is silent, so two names of one account would delay everybody's look-ups.
 */
export const systemLookup: Lookup = async (host) => {
  const found = await Bun.dns.lookup(host, { backend: "c-ares" });
  return found.map(({ address }) => address);
};

/**
 * The problem with the address of an endpoint, in words that complete `The member "url" …`; undefined if there is none.
 * `URL` has already normalised plain numbers and other spellings of an IP address.
 */
export function problemOfUrl(text: string, networks: AllowedNetworks): string | undefined {
  if (!URL.canParse(text)) return "must be an https address";
  const url = new URL(text);
  if (url.protocol === "http:" && networks.isEmpty) return problemOfHost(url);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must be an https address";
  if (url.username !== "" || url.password !== "") return "must have no user and no password in it";
  if (url.href.includes("#")) return "must have no fragment";
  if (!["", "80", "443"].includes(url.port) && Number(url.port) <= 1023)
    return "must have the port 443, 80, or one above 1023";
  const host = hostOf(url);
  if (ipaddr.isValid(host) && !networks.allow(host, url.protocol)) return problemOfHost(url);
  return undefined;
}

/** The problem with a host whose address may not be called, in the same words. */
export function problemOfHost(url: URL): string {
  if (isLoopbackName(url.hostname)) return OWN_MACHINE;
  return url.protocol === "http:" ? "must be an https address" : "must have a public address";
}

const OWN_MACHINE =
  "names your own machine: receive its events with `plantstore listen`, or let the operator allow the address in WEBHOOK_NETWORKS";

export type Target = { readonly addresses: readonly string[] } | { readonly error: DeliveryError };

/**
 * The addresses to call, looked up again for each attempt. Every address of the name must be allowed, or none is called.
 * The caller connects to one of these very addresses, so a name that resolves differently a moment later gains nothing.
 */
export async function resolveTarget(url: URL, networks: AllowedNetworks, find: Lookup, msMax = 5000): Promise<Target> {
  const host = hostOf(url);
  // The system may try its name servers one after the other, for longer than an attempt may take.
  const lookUp = (name: string) => inTime(find(name), msMax, () => new Error("the name was not found in time"));
  const addresses = ipaddr.isValid(host) ? [host] : await lookUp(host).catch(() => []);
  if (addresses.length === 0) return { error: "dns" };
  if (!addresses.every((address) => networks.allow(address, url.protocol))) return { error: "address_refused" };
  return { addresses };
}

/** The host name, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
