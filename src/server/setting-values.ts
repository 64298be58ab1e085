import { isIP } from "node:net";
import { z } from "zod";
import { parseMemberRules } from "#accounts/member-rules.ts";
import { parseRetention } from "#backup/retention.ts";
import { isLoopbackName } from "#contract/loopback-name.ts";
import { DURATION_FORMS, parseDuration } from "#core/duration.ts";
import { parseEmail } from "#core/email-address.ts";
import { isNetwork } from "#core/networks.ts";
import { ROLES } from "#core/role.ts";

/** The form of a setting's value, and how it is read from the text of an environment variable. */
export interface Kind<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** The end of a sentence about any other value. */
  readonly mustBe: string;
  /** True if no message, log line or error shows the value. */
  readonly isSecret: boolean;
  /** The end of the sentence about a value that is refused whatever `schema` makes of it. */
  readonly adviceOn?: (text: string) => string | undefined;
}

export function kind<Schema extends z.ZodType>(mustBe: string, schema: Schema): Kind<Schema> {
  return { mustBe, schema, isSecret: false };
}

export function secret<Schema extends z.ZodType>(kind: Kind<Schema>): Kind<Schema> {
  return { ...kind, isSecret: true };
}

/** An address with a password; one that holds a sign with a meaning in addresses can be read as another host, port or path. */
export function withPassword<Schema extends z.ZodType>(kind: Kind<Schema>): Kind<Schema> {
  return { ...kind, adviceOn: (text) => (isEncoded(text) ? undefined : UNENCODED) };
}

const UNENCODED = "an address whose password is percent-encoded: # as %23, / as %2F, ? as %3F, @ as %40, and % as %25";

function isEncoded(text: string): boolean {
  // A path of SQLite has no password.
  const [, authority = "", rest = ""] = /^(?!sqlite:)\w+:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  const [, user = "", password = ""] = /^([^:]*):?(.*)@[^@]*$/s.exec(authority) ?? [];
  const atInQueryAlone = /^[^@]*\?(?:[a-z_]+=[^&]*(?:&|$))+$/.test(rest);
  if (rest.includes("#") || password.includes("@") || (rest.includes("@") && !atInQueryAlone)) return false;
  return [user, password].every(isDecodable);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export const ON_OR_OFF = oneOf("on", "off");
export const FLAG = kind(
  "0 or 1",
  z.enum(["0", "1"]).transform((text) => text === "1"),
);
/** Digits only: `1e3`, `0x50` and a blank are no whole numbers. */
const WHOLE_NUMBER = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
/** A decimal number in digits, zero or more. */
export const DECIMAL = z
  .string()
  .regex(/^\d*\.?\d+(?:e-\d{1,2})?$/)
  .transform(Number);
export const AT_LEAST_1 = kind(
  "a whole number of at least 1",
  WHOLE_NUMBER.refine((number) => number >= 1),
);
export const PORT_NUMBER = kind(
  "a number from 0 to 65535",
  WHOLE_NUMBER.refine((port) => port <= 65535),
);
export const HTTP_ADDRESS = kind("an http or https address", z.url({ protocol: /^https?$/ }));

/** An identity provider's issuer (OpenID Connect Discovery 1.0, 3), kept as written, with or without a final slash. */
export const ISSUER = kind(
  "an https address without a query (http on this machine alone)",
  HTTP_ADDRESS.schema.refine((address) => {
    const { protocol, hostname, search, hash, username } = URL.parse(address) ?? {};
    return (protocol === "https:" || isLoopbackName(hostname ?? "")) && !search && !hash && !username;
  }),
);

/** The rules by which people may come without an invitation. */
export const MEMBER_RULES = kind(
  `${ROLES.join(", ")}, or claim:value=role pairs separated by commas, as in groups:growers=editor,groups:it=owner`,
  z.union([z.literal("").transform(() => []), parsed(parseMemberRules)]),
);

/**
 * An address that the PostgreSQL driver can parse (others would be retried for ever), or a SQLite path. A blank path and
 * `:memory:` are refused, because each SQLite connection would get a database of its own.
 */
export const DATABASE_ADDRESS = withPassword(
  secret(
    kind(
      "sqlite:PATH or postgres://…",
      z
        .string()
        .refine(
          (url) =>
            /^sqlite:(?!\s*$|:memory:$)./.test(url) ||
            (/^postgres(?:ql)?:\/\/./.test(url) && postgresUrl(url) !== null),
        ),
    ),
  ),
);

/** Null for one that no driver can read. That of a socket may have a user without a host, and is given without either. */
export function postgresUrl(url: string): URL | null {
  return URL.parse(url.replace(/\/\/[^/?#]*@\//, "///"));
}

/** The address of a service as a whole. */
export const ORIGIN = kind(
  "an http or https address without a path",
  HTTP_ADDRESS.schema.refine((address) => {
    const url = URL.parse(address);
    return url !== null && url.href === `${url.origin}/`;
  }),
);

/** Becomes a number of milliseconds. */
export const DURATION = kind(
  DURATION_FORMS,
  parsed(parseDuration).refine((ms) => ms > 0),
);

/** Becomes a number of milliseconds; 0 turns the feature off. */
export const DURATION_OR_OFF = kind(
  `0, or ${DURATION_FORMS}`,
  z.union([z.literal("0").transform(() => 0), parsed(parseDuration)]),
);

export const RETENTION = kind(
  "INTERVAL:DURATION, several separated by commas, as in 24h:7d,30d:12mo (a month is mo)",
  parsed(parseRetention),
);

export const NETWORKS = kind(
  "addresses or networks (10.0.0.0/8), separated by commas",
  z
    .string()
    .transform(list)
    .refine((entries) => entries.every(isNetwork)),
);

export const EMAIL_ADDRESS = kind("an e-mail address", parsed(parseEmail));

/** A mailbox (RFC 5322, 3.4), with or without a display name; the host may be a local one. */
export const MAILBOX = text(
  "an address such as Plants <plants@example.org>",
  /^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/,
);

/** DNS host names (RFC 5891). Wildcards would need another challenge type, and IP addresses are no names. */
export const DOMAIN_NAMES = kind(
  "host names such as plants.example.com, separated by commas",
  z
    .string()
    .transform((text) => (text === "" ? [] : text.split(",").map((name) => hostName(name.trim()))))
    .refine((names): names is string[] => !names.includes(undefined)),
);

const LABEL = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const HOST_NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);

function hostName(text: string): string | undefined {
  const { href, hostname = "" } = URL.parse(`https://${text}`) ?? {};
  // A parsed address has no port 443, which is the usual one.
  const isName = href === `https://${hostname}/` && !text.includes(":") && HOST_NAME.test(hostname);
  return isName && isIP(hostname) === 0 ? hostname : undefined;
}

/** The public key of an age identity in Bech32: of X25519, or of another kind that stands before a second 1. */
const RECIPIENT = /^age1(?:[02-9ac-hj-np-z]{58}|[a-z]+1[02-9ac-hj-np-z]{58,})$/;

/** An empty item is an error: whose key was lost there would miss the backups. */
export const RECIPIENTS = kind(
  "age public keys (age1…), separated by commas",
  z
    .string()
    .transform((text) => (text === "" ? [] : text.split(",").map((key) => key.trim())))
    .refine((keys) => keys.every((key) => RECIPIENT.test(key))),
);

/** The empty one would be any address of the machine. */
export const ADDRESSES = kind(
  "an address or a host name, or several separated by commas",
  z
    .string()
    .transform((text) =>
      text
        .split(",")
        // An IPv6 address has brackets in addresses of the web alone.
        .map((name) => name.trim().replace(/^\[([\da-f:.]+)\]$/i, "$1"))
        .join(),
    )
    .refine((names) => !names.split(",").includes("")),
);

/** A key in place of its file has several lines. */
export const FILE_PATH = text("the path of a file", /^.*$/);

/** `HOST:PORT`, with an IPv6 address in brackets. */
export const LISTENING_ADDRESS = kind("an address and a port, such as 127.0.0.1:9464", parsed(parseAddress));

/** Percent-encoded, as in the variables of OpenTelemetry. */
export const PAIRS = kind("NAME=VALUE, several separated by commas", parsed(parsePairs));

export function text(mustBe: string, pattern = /^/) {
  return kind(mustBe, z.string().regex(pattern));
}

export function oneOf<const Names extends readonly string[]>(...names: Names) {
  return kind(`${names.slice(0, -1).join(", ")} or ${names.at(-1)}`, z.enum(names));
}

/** Everything that `parse` makes something of. */
function parsed<Value>(parse: (text: string) => Value | undefined) {
  return z
    .string()
    .transform(parse)
    .refine((value) => value !== undefined);
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
