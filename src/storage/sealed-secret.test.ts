import { expect, test } from "bun:test";
import { SecretSealer } from "./sealed-secret.ts";

const sealer = new SecretSealer("a secret of at least thirty-two characters", "webhook secrets");

test("a sealed secret opens for its endpoint with the same SECRET, and tells nothing of itself", () => {
  const sealed = sealer.seal("whsec_abc", "we_1");
  expect(sealed).not.toContain("whsec");
  expect(sealer.open(sealed, "we_1")).toBe("whsec_abc");
  expect(sealer.seal("whsec_abc", "we_1")).not.toBe(sealed);
});

test("what an earlier release has sealed is opened", () => {
  const sealed = "ybRW96DmPZ/GeHgJwVlTaUE77b0wXWkR2F7TtkFfjm6uyOY8iw==";
  expect(sealer.open(sealed, "we_1")).toBe("whsec_abc");
});

test("it opens neither for another endpoint nor with another SECRET, nor altered", () => {
  const sealed = sealer.seal("whsec_abc", "we_1");
  expect(() => sealer.open(sealed, "we_2")).toThrow();
  expect(() =>
    new SecretSealer("a secret of at least thirty-two characters", "second factors").open(sealed, "we_1"),
  ).toThrow();
  expect(() =>
    new SecretSealer("another secret of thirty-two letters", "webhook secrets").open(sealed, "we_1"),
  ).toThrow();
  for (const altered of [`${sealed.startsWith("A") ? "B" : "A"}${sealed.slice(1)}`, sealed.slice(0, 8), ""]) {
    expect(() => sealer.open(altered, "we_1")).toThrow();
  }
});

test("a secret that was replaced and cannot be opened any more is left out, and the newest one must open", () => {
  const now = new SecretSealer("the SECRET of now", "webhook secrets");
  const before = new SecretSealer("the SECRET of before", "webhook secrets");
  const newest = { sealed: now.seal("whsec_new", "we_1"), expiresAt: undefined };
  const replaced = { sealed: before.seal("whsec_old", "we_1"), expiresAt: 5 };
  expect(now.openAll([newest, replaced], "we_1")).toEqual([{ secret: "whsec_new", expiresAt: undefined }]);
  expect(() => before.openAll([newest, replaced], "we_1")).toThrow();
  const both = new SecretSealer("the SECRET of now", "webhook secrets", "the SECRET of before");
  expect(both.openAll([newest, replaced], "we_1").map(({ secret }) => secret)).toEqual(["whsec_new", "whsec_old"]);
});
