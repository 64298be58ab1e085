import { expect, test } from "bun:test";
import { randomCharacters, seal, unseal } from "./secrets.ts";

test("random characters are letters and digits, as many as asked for, each equally likely", () => {
  const counts = new Map<string, number>();
  const characters = randomCharacters(62_000);
  expect(characters).toMatch(/^[0-9A-Za-z]{62000}$/);
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Seven standard deviations to each side of the mean of 1,000.
  for (const count of counts.values()) expect(count).toBeWithin(780, 1221);
});

test("sealed text is opened with the same secret, and is sealed in another form each time", () => {
  for (const text of ["", "JBSWY3DPEHPK3PXP", "🌵 ".repeat(1000)]) {
    const sealed = seal("a secret", text);
    expect(sealed).toMatch(/^[0-9a-f]+$/);
    expect(unseal("a secret", sealed)).toBe(text);
    expect(seal("a secret", text)).not.toBe(sealed);
  }
});

test("another secret, and any altered digit, are refused", () => {
  const sealed = seal("a secret", "text");
  expect(() => unseal("another secret", sealed)).toThrow();
  for (let at = 0; at < sealed.length; at++) {
    const digit = sealed[at] === "0" ? "1" : "0";
    expect(() => unseal("a secret", sealed.slice(0, at) + digit + sealed.slice(at + 1))).toThrow();
  }
});
