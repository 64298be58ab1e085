import { expect, test } from "bun:test";
import { SecretSealer } from "./sealed-secret.ts";

const sealer = new SecretSealer("a secret of at least thirty-two characters");

test("a sealed secret opens for its endpoint with the same SECRET, and tells nothing of itself", async () => {
  const sealed = await sealer.seal("whsec_abc", "we_1");
  expect(sealed).not.toContain("whsec");
  expect(await sealer.open(sealed, "we_1")).toBe("whsec_abc");
  expect(await sealer.seal("whsec_abc", "we_1")).not.toBe(sealed);
});

test("it opens neither for another endpoint nor with another SECRET, nor altered", async () => {
  const sealed = await sealer.seal("whsec_abc", "we_1");
  await expect(sealer.open(sealed, "we_2")).rejects.toThrow();
  await expect(new SecretSealer("another secret of thirty-two letters").open(sealed, "we_1")).rejects.toThrow();
  await expect(sealer.open(`${sealed.startsWith("A") ? "B" : "A"}${sealed.slice(1)}`, "we_1")).rejects.toThrow();
});

test("a secret that was replaced and cannot be opened any more is left out, and the newest one must open", async () => {
  const now = new SecretSealer("the SECRET of now");
  const before = new SecretSealer("the SECRET of before");
  const newest = { sealed: await now.seal("whsec_new", "we_1"), expiresAt: undefined };
  const replaced = { sealed: await before.seal("whsec_old", "we_1"), expiresAt: 5 };
  expect(await now.openAll([newest, replaced], "we_1")).toEqual([{ secret: "whsec_new", expiresAt: undefined }]);
  await expect(before.openAll([newest, replaced], "we_1")).rejects.toThrow();
});
