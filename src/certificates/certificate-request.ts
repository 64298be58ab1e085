import { KeyObject } from "node:crypto";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A new P-256 key. */
export interface NewKey {
  readonly pair: CryptoKeyPair;
  readonly pem: string;
}

export async function newKey(): Promise<NewKey> {
  const pair = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  return { pair, pem: KeyObject.from(pair.privateKey).export({ type: "pkcs8", format: "pem" }).toString() };
}

/** A request for a certificate of this key for these names (PKCS #10), in DER. The library is loaded when it is needed. */
export async function newRequest({ pair }: NewKey, names: readonly string[]): Promise<Uint8Array> {
  await import("reflect-metadata");
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await import("@peculiar/x509");
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: pair,
    signingAlgorithm: ALGORITHM,
    extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns" as const, value })))],
  });
  return new Uint8Array(request.rawData);
}
