import { beforeAll, describe, expect, test } from "bun:test";
import { createPrivateKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Certificate, newAuthority } from "#test/support/certificates.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { CertificateFiles } from "./certificate-files.ts";

const authority = await newAuthority();
const SETTINGS = ["TLS_CERT_FILE", "TLS_KEY_FILE"] as const;

describe("a certificate of one's own", () => {
  const folder = temporaryFolder();
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  let own: Certificate;
  let other: Certificate;
  beforeAll(async () => {
    own = await authority.issue("plants.example");
    other = await authority.issue("plants.example");
  });

  const read = (cert: string, key: string) => {
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    return new CertificateFiles(certFile, keyFile, SETTINGS).read();
  };
  const refusalOf = (cert: string, key: string) => {
    try {
      read(cert, key);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  const encrypted = (type: "pkcs8" | "sec1") =>
    createPrivateKey(own.key).export({ type, format: "pem", cipher: "aes-256-cbc", passphrase: "secret" }).toString();

  test("is used once both files are as they were at the last look", () => {
    read(own.cert, own.key);
    const files = new CertificateFiles(certFile, keyFile, SETTINGS);
    const used: Certificate["cert"][] = [];
    const look = () => files.look(({ cert }) => used.push(cert));
    look();
    read(other.cert, other.key);
    look();
    expect(used).toEqual([]);
    look();
    look();
    expect(used).toEqual([other.cert]);
  });

  test("is read with its chain, words between its blocks, and line ends of another system", () => {
    const text = `subject=CN = plants.example\n${own.cert}\nissuer=CN - x\n${authority.cert}`;
    for (const cert of [own.cert, text, text.replaceAll("\n", "\r\n")]) {
      expect(read(cert, own.key).names).toEqual(["plants.example"]);
    }
    expect(read(own.cert + own.key, own.key + own.cert).names).toEqual(["plants.example"]);
  });

  test("that is cut off is refused wherever it is cut, before and after the leaf, by a sentence that names its setting", () => {
    const whole = own.cert + authority.cert;
    const end = (text: string) => text.trimEnd().length;
    for (let length = 1; length < end(whole); length += 7) {
      if (length >= end(own.cert) && length <= own.cert.length) continue;
      expect([length, refusalOf(whole.slice(0, length), own.key)]).toEqual([
        length,
        expect.stringMatching(/^TLS_CERT_FILE .*cert.pem (?:is cut off|holds no certificate)/),
      ]);
    }
  });

  test.each([
    [
      "in the wrong order",
      () => [authority.cert + own.cert, own.key],
      /^TLS_CERT_FILE .*: put your own certificate first/,
    ],
    ["of another key", () => [own.cert, other.key], /^TLS_CERT_FILE .* is not the certificate of this key: /],
    [
      "with a damaged chain",
      () => [own.cert + authority.cert.replace(/\n.{20}/, "\n"), own.key],
      /^TLS_CERT_FILE .* has a certificate that cannot be read: put a whole copy/,
    ],
    [
      "whose key is encrypted",
      () => [own.cert, encrypted("pkcs8")],
      /^TLS_KEY_FILE .* is encrypted with a passphrase: openssl pkey/,
    ],
    [
      "whose key is encrypted in the older form",
      () => [own.cert, encrypted("sec1")],
      /^TLS_KEY_FILE .* is encrypted with a passphrase: openssl pkey/,
    ],
    [
      "whose key is cut off",
      () => [own.cert, own.key.slice(0, 100)],
      /^TLS_KEY_FILE .* has no key in PEM format, and is cut off/,
    ],
    ["whose key is none", () => [own.cert, own.cert], /^TLS_KEY_FILE .* has no key in PEM format$/],
  ] as const)("%s is refused by a sentence that says what to do", (_, files, sentence) => {
    const [cert = "", key = ""] = files();
    expect(refusalOf(cert, key)).toMatch(sentence);
  });
});
