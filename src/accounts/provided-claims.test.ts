import { expect, test } from "bun:test";
import { ProvidedClaims } from "./provided-claims.ts";

test.each([
  ["both of the ID token", { email: "a@x.example", email_verified: true }, {}, true],
  [
    "the ID token, and what userinfo says of the same address",
    { email: "a@x.example" },
    { email: "A@x.example", email_verified: true },
    true,
  ],
  [
    "the ID token, and what userinfo says of another",
    { email: "a@x.example" },
    { email: "b@x.example", email_verified: true },
    false,
  ],
  ["the ID token, and what userinfo says of none", { email: "a@x.example" }, { email_verified: true }, false],
  ["userinfo, and what the ID token says of none", { email_verified: true }, { email: "a@x.example" }, false],
  [
    "the ID token, which userinfo contradicts",
    { email: "a@x.example", email_verified: false },
    { email: "a@x.example", email_verified: true },
    false,
  ],
])("an address is verified only by who says it: %s", (_, idToken, userinfo, isVerified) => {
  expect(new ProvidedClaims("ada", idToken, userinfo).address).toEqual({ email: "a@x.example", isVerified });
});

test("an address with a sign that only lower case makes a letter is none (U+212A)", () => {
  expect(new ProvidedClaims("ada", { email: "\u212Aate@x.example", email_verified: true }).address).toBeUndefined();
});

test("members of any kind are no error", () => {
  const odd = { toString: 1 };
  const claims = new ProvidedClaims("ada", {
    email: odd,
    email_verified: odd,
    name: odd,
    auth_time: odd,
    _claim_names: odd,
  });
  expect([claims.address, claims.name, claims.askedAt]).toEqual([undefined, undefined, undefined]);
  expect(claims.isWithheld({ text: "groups", path: ["groups"] })).toBe(false);
});
