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
