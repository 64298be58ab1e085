import { expect } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { testUnless } from "#test/support/skipped.ts";
import { mountSmallDisk } from "#test/support/small-disk.ts";
import { CertificateFolder } from "./certificate-folder.ts";

const disk = temporaryFolder();
const problem = mountSmallDisk(disk, "64k");

testUnless(problem, "a certificate stays as it was when a full disk takes a part of the next one", () => {
  const folder = new CertificateFolder(disk);
  folder.writeCertificate("key", "chain");
  writeFileSync(join(disk, "rest"), Buffer.alloc(52 * 1024));
  expect(() => folder.writeCertificate("key", "next\n".repeat(4000))).toThrow("ENOSPC");
  expect(readFileSync(folder.certificate, "utf8")).toBe("keychain");
  expect(readdirSync(disk).sort()).toEqual(["certificate.pem", "rest"]);
});
