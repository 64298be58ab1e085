import { DAY_MS } from "#core/duration.ts";
import "reflect-metadata";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const KEYS = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** In PEM format. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority that is known only to the test. */
export interface Authority {
  readonly cert: string;
  /** A certificate for that name or address. */
  issue(name: string): Promise<Certificate>;
  /** A certificate for that key, or for one that nobody has. */
  certify(what: CertifiedKey): Promise<string>;
}

export interface CertifiedKey {
  readonly publicKey: CryptoKey | undefined;
  readonly names: readonly string[];
  /** By default now. */
  readonly from?: number;
  readonly lifeMs: number;
}

export async function newAuthority(): Promise<Authority> {
  const keys = await newKeys();
  const valid = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: "CN=Authority of a test",
    keys,
    ...valid,
    extensions: [new BasicConstraintsExtension(true)],
  });
  return {
    cert: `${authority.toString("pem")}\n`,
    async certify({ publicKey, names, from = Date.now(), lifeMs }) {
      const certificate = await X509CertificateGenerator.create({
        issuer: authority.subject,
        publicKey: publicKey ?? (await newKeys()).publicKey,
        signingKey: keys.privateKey,
        notBefore: new Date(from),
        notAfter: new Date(from + lifeMs),
        extensions: [
          new SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns" as const, value }))),
          await AuthorityKeyIdentifierExtension.create(keys.publicKey),
        ],
      });
      return `${certificate.toString("pem")}\n${authority.toString("pem")}\n`;
    },
    async issue(name) {
      const { publicKey, privateKey } = await newKeys();
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer: authority.subject,
        publicKey,
        signingKey: keys.privateKey,
        ...valid,
        extensions: [new SubjectAlternativeNameExtension([{ type: isIP(name) ? "ip" : "dns", value: name }])],
      });
      return { key: await pemOf(privateKey), cert: `${certificate.toString("pem")}\n` };
    },
  };
}

function newKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(KEYS, true, ["sign", "verify"]);
}

async function pemOf(key: CryptoKey): Promise<string> {
  const text = Buffer.from(await crypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${text.replace(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;
}

/** A certificate of that authority for localhost, whose time was over a day ago. */
export async function expiredCertificate(authority: Authority): Promise<Certificate> {
  const { privateKey, publicKey } = await newKeys();
  const life = { from: Date.now() - 3 * DAY_MS, lifeMs: 2 * DAY_MS };
  const cert = await authority.certify({ publicKey, names: ["localhost"], ...life });
  return { cert, key: await pemOf(privateKey) };
}
