import { expect, test } from "bun:test";
import { CertificateFolder } from "./certificate-folder.ts";

test("services with databases in one folder, which may have other names, write over nothing of each other", () => {
  expect(CertificateFolder.of("/data/plants.db").path).toBe("/data/certificates/plants.db");
  expect(CertificateFolder.of("/data/others.db").path).not.toBe(CertificateFolder.of("/data/plants.db").path);
});
