import { expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { comparedEmail, EMAIL_LENGTH_MAX, parseEmail } from "./email-address.ts";

test("an address that a browser's field takes is taken, in lower case and with the A-labels of its domain", () => {
  for (const [given, address] of [
    ["Grower@Example.com", "grower@example.com"],
    ["info@xn--e1afmkfd.xn--p1ai", "info@xn--e1afmkfd.xn--p1ai"],
    ["info@Пример.рф", "info@xn--e1afmkfd.xn--p1ai"],
    ["o&m@example.com", "o&m@example.com"],
    ["rosa@Bücher.example", "rosa@xn--bcher-kva.example"],
    [" .rosa..o'hara.@localhost ", ".rosa..o'hara.@localhost"],
  ] as const) {
    expect(parseEmail(given)).toBe(address);
    expect(comparedEmail(given)).toBe(address);
  }
});

test("other texts are none, among them those whose letters would only become ASCII when they are compared", () => {
  const label = "x".repeat(64);
  for (const text of [
    ..."|grower|@example.com|grower@|a@b@example.com|a@example.com\r\nBcc: x|ro sa@example.com|a@-x.com".split("|"),
    ..."\u212Aarl@example.com|rosé@example.com|a@ü/x|a@ü:80|a@ü?x|a@ü b|a@%C3%BC.example|a@ü%2ex|a@[::1]|a@x..y|a@ü..y".split(
      "|",
    ),
    `a@${label}.com`,
    `${"x".repeat(EMAIL_LENGTH_MAX)}@example.com`,
    `${"x".repeat(EMAIL_LENGTH_MAX - 15)}@ü.example`,
  ]) {
    expect([text, parseEmail(text)]).toEqual([text, undefined]);
  }
});

test("an ASCII text is an address exactly if the pattern that is known for the standard takes it", () => {
  const part = fc.constantFrom("a", "Z", "9", ".", "-", "_", "&", "@", " ", "xn--", '"', "com");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("").trim();
      expect(parseEmail(text) !== undefined).toBe(z.regexes.html5Email.test(text));
    }),
    { numRuns: 3000 },
  );
});
