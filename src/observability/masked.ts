import ipaddr from "ipaddr.js";

/** Secrets of this service and its webhooks, complete or cut off, and credentials of any header. */
const SECRETS = /plant_[0-9A-Za-z]{8,}|whsec_[0-9A-Za-z+/=_%-]{8,}|\b(bearer|basic)(?:\s|%20|\+)+[^\s"',;&]+/gi;

/** Replaces everything that looks like a secret. */
export function masked(text: string): string {
  return text.replace(SECRETS, (secret, scheme?: string) => (scheme ? `${scheme} …` : `${secret.slice(0, 6)}…`));
}

const KEPT_PARAMETERS = new Set(["limit", "order", "tag", "q", "cursor"]);

/** The path as it was sent, with the parameters that may be stored, masked. */
export function loggedPath(path: string, query: string): string {
  const kept = query.split("&").filter((pair) => KEPT_PARAMETERS.has(pair.split("=", 1)[0] ?? ""));
  return masked(kept.length === 0 ? path : `${path}?${kept.join("&")}`).slice(0, PATH_LENGTH_MAX);
}

const PATH_LENGTH_MAX = 500;

/** The part of an address that is stored: all of it, its network (/24, /48), or nothing. */
export type AddressDetail = "off" | "network" | "full";

export function loggedAddress(address: string, detail: AddressDetail): string | undefined {
  if (detail === "off" || address === "") return undefined;
  if (detail === "full") return address;
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return `${parsed.octets.slice(0, 3).join(".")}.0/24`;
  const groups = parsed.parts.slice(0, 3).map((group) => group.toString(16));
  return `${groups.join(":")}::/48`;
}

const EXCERPT_BYTES_MAX = 1024;
/** Longer than any secret, so that one that begins at the end of the excerpt is found whole. */
const BEYOND_EXCERPT = 256;

/** The first KiB of a body, masked. */
export function excerptOf(body: string): string {
  const text = masked(body.slice(0, EXCERPT_BYTES_MAX + BEYOND_EXCERPT));
  return new TextDecoder()
    .decode(new TextEncoder().encode(text).subarray(0, EXCERPT_BYTES_MAX))
    .replace(/\ufffd+$/, "");
}
