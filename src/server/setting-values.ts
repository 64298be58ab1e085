import { z } from "zod";
import { parseDuration } from "#core/duration.ts";
import { isNetwork } from "#http/trusted-proxies.ts";

// The values that more than one setting may have, or that are more than a pattern: from the text of an environment
// variable to the type that the service works with.

export function port() {
  return z.coerce.number().int().min(0).max(65535);
}

export function httpAddress() {
  return z.url({ protocol: /^https?$/ });
}

/** The address of a service as a whole, which has no path. */
export function originAddress() {
  return httpAddress().refine((address) => {
    const url = URL.parse(address);
    return url !== null && url.href === `${url.origin}/`;
  });
}

/** A duration such as `24h`, in milliseconds. */
export function duration() {
  return z
    .string()
    .transform(parseDuration)
    .refine((ms) => ms !== undefined)
    .refine((ms) => ms > 0);
}

/** A duration in milliseconds, where 0 turns the feature off. */
export function durationOrOff() {
  return z.union([z.literal("0").transform(() => 0), duration()]);
}

/** Addresses and networks, separated by commas. */
export function networks() {
  return z
    .string()
    .transform(list)
    .refine((entries) => entries.every(isNetwork));
}

/** The public key of an age identity in Bech32: of X25519, or of another kind that stands before a second 1. */
const RECIPIENT = /^age1(?:[02-9ac-hj-np-z]{58}|[a-z]+1[02-9ac-hj-np-z]{58,})$/;

/** Public age keys, separated by commas. An empty item is an error: whose key was lost there would miss the backups. */
export function recipients() {
  return z
    .string()
    .transform((text) => (text === "" ? [] : text.split(",").map((key) => key.trim())))
    .refine((keys) => keys.every((key) => RECIPIENT.test(key)));
}

/** `HOST:PORT`, with an IPv6 address in brackets. */
export function listeningAddress() {
  return z
    .string()
    .transform(parseAddress)
    .refine((address) => address !== undefined);
}

/** `NAME=VALUE,NAME=VALUE`, percent-encoded, as in the variables of OpenTelemetry. */
export function pairs() {
  return z
    .string()
    .transform(parsePairs)
    .refine((found) => found !== undefined);
}

function parseAddress(text: string): { readonly hostname: string; readonly port: number } | undefined {
  const [, hostname, digits] = /^(?:\[([\da-fA-F:.]+)\]|[^:\s]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65535) return undefined;
  return { hostname: hostname ?? text.slice(0, text.lastIndexOf(":")), port };
}

function parsePairs(text: string): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const pair of list(text)) {
    const at = pair.indexOf("=");
    if (at < 1) return undefined;
    try {
      found[pair.slice(0, at).trim()] = decodeURIComponent(pair.slice(at + 1).trim());
    } catch {
      return undefined;
    }
  }
  return found;
}

function list(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
