import { expect, test } from "bun:test";
import { isSealedBefore, openSealedBefore } from "./secrets.ts";

/** "JBSWY3DPEHPK3PXP" as it was sealed with "a secret" before 1.0.0. */
const SEALED =
  "058bc8b09482092842308c7176afb85c94f5585415882850e23950c37344f72d91c188c0d4073ff0fc17d7d937ac26bd161e5860caed5a22";

test("what was sealed before 1.0.0 is told from later forms, and is opened with its secret, also a former one", () => {
  expect(isSealedBefore(SEALED)).toBe(true);
  for (const later of ["", "ybRW96DmPZ/GeHgJwVlTaUE77b0wXWkR2F7TtkFfjm6uyOY8iw==", "abc"])
    expect(isSealedBefore(later)).toBe(false);
  expect(openSealedBefore("a secret", SEALED)).toBe("JBSWY3DPEHPK3PXP");
  expect(openSealedBefore("another secret", SEALED, "a secret")).toBe("JBSWY3DPEHPK3PXP");
});

test("another secret, and any altered digit, are refused", () => {
  expect(() => openSealedBefore("another secret", SEALED)).toThrow();
  for (let at = 0; at < SEALED.length; at++) {
    const digit = SEALED[at] === "0" ? "1" : "0";
    expect(() => openSealedBefore("a secret", SEALED.slice(0, at) + digit + SEALED.slice(at + 1))).toThrow();
  }
});
