import { expect, test } from "bun:test";
import { seal, unseal } from "./secrets.ts";

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
  expect(() => unseal("another secret", sealed, "a third")).toThrow();
  expect(unseal("another secret", sealed, "a secret")).toBe("text");
  for (let at = 0; at < sealed.length; at++) {
    const digit = sealed[at] === "0" ? "1" : "0";
    expect(() => unseal("a secret", sealed.slice(0, at) + digit + sealed.slice(at + 1))).toThrow();
  }
});
