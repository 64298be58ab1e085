import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newAuthority } from "#test/support/certificates.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { testUnless } from "#test/support/skipped.ts";
import { mountSmallDisk } from "#test/support/small-disk.ts";
import { CertificateFolder } from "./certificate-folder.ts";

const disk = temporaryFolder();
const problem = mountSmallDisk(disk, "64k");
const authority = await newAuthority();
const [one, next] = [await authority.issue("plants.localhost"), await authority.issue("plants.localhost")];

testUnless(problem, "a certificate stays as it was when a full disk takes a part of the next one", () => {
  const folder = new CertificateFolder(disk);
  folder.writeCertificate(one.key, one.cert);
  writeFileSync(join(disk, "rest"), Buffer.alloc(52 * 1024));
  expect(() => folder.writeCertificate(next.key, next.cert + authority.cert.repeat(40))).toThrow("ENOSPC");
  expect(readFileSync(folder.certificate, "utf8")).toBe(one.key + one.cert);
  expect(readdirSync(disk).sort()).toEqual(["certificate.pem", "rest"]);
});

test("a state that cannot be written is kept in memory until it can be", () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  const folder = new CertificateFolder(join(file, "certificates"));
  const state = { failures: 3, nextAt: 5 };
  folder.keepState(state);
  expect(folder.readState()).toEqual(state);
  rmSync(file);
  folder.keepState({ ...state, failures: 4 });
  expect(new CertificateFolder(folder.path).readState()).toEqual({ ...state, failures: 4 });
});

test.each([
  ["whose chain is cut off", next.key, next.cert + authority.cert.slice(0, 200)],
  ["whose chain has a damaged certificate", next.key, next.cert + authority.cert.replace(/\n.{20}/, "\n")],
  ["whose key is of another", one.key, next.cert],
])("a file %s takes no other's place", (_, key, chain) => {
  const folder = new CertificateFolder(temporaryFolder());
  folder.writeCertificate(one.key, one.cert);
  expect(() => folder.writeCertificate(key, chain)).toThrow();
  expect(readFileSync(folder.certificate, "utf8")).toBe(one.key + one.cert);
});
