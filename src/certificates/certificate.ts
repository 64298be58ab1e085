import type { KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** A certificate with its chain and its key, both in PEM format. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The host names that it is for. */
  readonly names: readonly string[];
  /** The authority's name, as people know it. */
  readonly issuer: string;
  /** The authority's identifier of it (RFC 9773, 4.1); undefined if it has no authority key identifier. */
  readonly id: string | undefined;
  /** The first and the last moment of its life, in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** Loaded on first use, since it takes some milliseconds, and a command seldom needs it. */
const nodeCrypto = () => process.getBuiltinModule("node:crypto");

/** The reason why a certificate cannot be served; the message is the end of a sentence about its file, or that of the key. */
export class CertificateProblem extends Error {
  constructor(
    message: string,
    readonly remedy = "put a whole copy there",
    readonly file: "certificate" | "key" = "certificate",
  ) {
    super(message);
  }
}

/** Throws CertificateProblem unless every block can be read and the first certificate is that of the key. */
export function readCertificate(cert: string, key: string): Certificate {
  const chain = certificatesOf(cert);
  const own = keyOf(key);
  const [leaf] = chain;
  if (!leaf) throw new CertificateProblem("holds no certificate in PEM format", "");
  if (!leaf.checkPrivateKey(own)) {
    if (!chain.some((each) => each.checkPrivateKey(own)))
      throw new CertificateProblem("is not the certificate of this key", "put there the two that belong together");
    throw new CertificateProblem("is in the wrong order", "put your own certificate first, then its chain");
  }
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

function certificatesOf(text: string): X509Certificate[] {
  const { X509Certificate } = nodeCrypto();
  const { blocks, isCut } = pemOf(text);
  const chain = blocks.filter(({ label }) => label.endsWith("CERTIFICATE"));
  if (isCut) throw new CertificateProblem(CUT_OFF);
  return chain.map(({ text: block }) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new CertificateProblem("has a certificate that cannot be read");
    }
  });
}

function keyOf(text: string): KeyObject {
  const { blocks, isCut } = pemOf(text);
  const block = blocks.find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (!block) throw new CertificateProblem(`has no key in PEM format${isCut ? `, and ${CUT_OFF}` : ""}`, "", "key");
  if (/^-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(block.text)) {
    const remedy = "openssl pkey -in KEY -out NEW writes one without";
    throw new CertificateProblem("is encrypted with a passphrase", remedy, "key");
  }
  try {
    return nodeCrypto().createPrivateKey(block.text);
  } catch {
    throw new CertificateProblem("has no key in PEM format that can be read", undefined, "key");
  }
}

const CUT_OFF = "is cut off, since a block of it has no end";
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----(?:(?!-----)[\s\S])*-----END \1-----/g;

/** The blocks of a PEM text (RFC 7468), among which there may be words. */
function pemOf(text: string) {
  const blocks = Array.from(text.matchAll(BLOCK), ([block, label = ""]) => ({ label, text: block }));
  return { blocks, isCut: /-----|-\s*$/.test(text.replaceAll(BLOCK, "")) };
}

/** The host names of a certificate's file; none if it cannot be read. */
export function hostNames(file: string): readonly string[] {
  try {
    return namesOf(new (nodeCrypto().X509Certificate)(readFileSync(file)));
  } catch {
    return [];
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
