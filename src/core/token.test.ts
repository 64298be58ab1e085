import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { isWellFormedSecret, newSecret, tokenState } from "./token.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM = /^plant_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

const secrets = fc.array(fc.nat(255), { minLength: 64, maxLength: 64 }).map((bytes) => {
  let at = 0;
  return newSecret(() => bytes[at++ % bytes.length] ?? 0);
});

function base62(value: number): string {
  let digits = "";
  for (let rest = value, i = 0; i < 6; i++, rest = Math.floor(rest / 62)) digits = ALPHABET.charAt(rest % 62) + digits;
  return digits;
}

test("a secret is plant_, 30 base62 characters, and their CRC-32 as zlib computes it in 6 base62 digits", () => {
  fc.assert(
    fc.property(secrets, (secret) => {
      const [, random = "", checksum = ""] = RANDOM.exec(secret) ?? [];
      expect(random).toHaveLength(30);
      expect(checksum).toBe(base62(crc32(random)));
      expect(isWellFormedSecret(secret)).toBe(true);
    }),
  );
});

test("a secret with one wrong character is told apart without a look-up", () => {
  fc.assert(
    fc.property(secrets, fc.nat(35), fc.constantFrom(...ALPHABET), (secret, offset, character) => {
      const at = "plant_".length + offset;
      const mistyped = secret.slice(0, at) + character + secret.slice(at + 1);
      expect(isWellFormedSecret(mistyped)).toBe(mistyped === secret);
    }),
  );
});

test("a secret with two neighbours swapped, cut short, extended or in another case is told apart", () => {
  fc.assert(
    fc.property(secrets, fc.nat(34), (secret, offset) => {
      const at = "plant_".length + offset;
      const swapped = secret.slice(0, at) + secret.charAt(at + 1) + secret.charAt(at) + secret.slice(at + 2);
      expect(isWellFormedSecret(swapped)).toBe(swapped === secret);
      for (const other of [
        secret.slice(0, -1),
        `${secret}0`,
        `${secret}\n`,
        ` ${secret}`,
        secret.replace("plant", "PLANT"),
      ])
        expect(isWellFormedSecret(other)).toBe(false);
    }),
  );
});

test("each of the 62 characters is equally likely: a byte that would favour some is passed over", () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  let at = 0;
  const drawn = new Map<string, number>();
  while (at < bytes.length * 30) {
    const random = newSecret(() => bytes[at++ % bytes.length] ?? 0).slice(6, 36);
    for (const character of random) drawn.set(character, (drawn.get(character) ?? 0) + 1);
  }
  expect(drawn.size).toBe(62);
  expect(Math.max(...drawn.values()) - Math.min(...drawn.values())).toBeLessThanOrEqual(4);
});

test("a token is active until the very millisecond that it expires or is revoked", () => {
  const never = { expiresAt: undefined, revokedAt: undefined };
  expect(tokenState(never, 5)).toBe("active");
  expect(tokenState({ ...never, expiresAt: 6 }, 5)).toBe("active");
  expect(tokenState({ ...never, expiresAt: 5 }, 5)).toBe("expired");
  expect(tokenState({ ...never, revokedAt: 6 }, 5)).toBe("active");
  expect(tokenState({ expiresAt: 5, revokedAt: 5 }, 5)).toBe("revoked");
});
