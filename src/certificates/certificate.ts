import type { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** A certificate with its chain and its key, both in PEM format. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The host names that it is for. */
  readonly names: readonly string[];
  /** The authority's name, as people know it. */
  readonly issuer: string;
  /** By which its authority knows it (RFC 9773, 4.1); undefined if it does not name that authority's key. */
  readonly id: string | undefined;
  /** The first and the last moment of its life, in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** Loaded on first use, since it takes some milliseconds, and a command seldom needs it. */
const nodeCrypto = () => process.getBuiltinModule("node:crypto");

/** Throws an error whose message is the end of a sentence if these are not a certificate and its key. */
export function readCertificate(cert: string, key: string): Certificate {
  const { X509Certificate, createPrivateKey } = nodeCrypto();
  const leaf = parsed("holds no certificate in PEM format", () => new X509Certificate(cert));
  const own = parsed("has no key in PEM format without a passphrase", () => createPrivateKey(key));
  if (!leaf.checkPrivateKey(own)) throw new Error("is not the certificate of this key");
  return {
    cert,
    key,
    names: namesOf(leaf),
    issuer: /^(?:O|CN)=(.*)$/m.exec(leaf.issuer)?.[1] ?? leaf.issuer,
    id: idOf(leaf),
    from: Date.parse(leaf.validFrom),
    until: Date.parse(leaf.validTo),
  };
}

/** The first host name of a certificate's file; undefined if it has none, or cannot be read. */
export function firstName(file: string): string | undefined {
  try {
    return namesOf(new (nodeCrypto().X509Certificate)(readFileSync(file))).find((name) => !name.startsWith("*"));
  } catch {
    return undefined;
  }
}

/** The extension 2.5.29.35 in DER: an octet string of a sequence whose first member, [0], is the id of the authority's key. */
const AUTHORITY_KEY = Buffer.from("0603551d2304", "hex");

function idOf({ raw, serialNumber }: X509Certificate): string | undefined {
  const at = raw.indexOf(AUTHORITY_KEY) + AUTHORITY_KEY.length;
  const [, , , tag, length = 0] = raw.subarray(at);
  if (at < AUTHORITY_KEY.length || tag !== 0x80) return undefined;
  // A whole number in DER begins with a zero where its first bit is set, else it would be negative.
  const serial = /^[89A-F]/i.test(serialNumber) ? `00${serialNumber}` : serialNumber;
  return `${raw.subarray(at + 5, at + 5 + length).toString("base64url")}.${Buffer.from(serial, "hex").toString("base64url")}`;
}

function namesOf({ subjectAltName = "" }: X509Certificate): string[] {
  return Array.from(subjectAltName.matchAll(/DNS:([^,\s]+)/g), ([, name = ""]) => name.toLowerCase());
}

function parsed<Value>(problem: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (cause) {
    throw new Error(problem, { cause });
  }
}
