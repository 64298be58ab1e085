import { expect, test } from "bun:test";
import fc from "fast-check";
import { isValidHost } from "./host.ts";

test.each([
  "a",
  "127.0.0.1",
  "127.0.0.1:80",
  "[::1]",
  "[::ffff:1.2.3.4]:3000",
  "xn--bcher-kva.example:",
  "a_b",
  "a%2Db",
])("%j is a Host", (host) => {
  expect(isValidHost(host)).toBe(true);
  expect(isValidHost(host)).toBe(true);
});

test("HTTP/1.0 needs no Host", () => {
  expect(isValidHost(null)).toBe(true);
});

test.each([
  "",
  " ",
  "a, b",
  "a,a",
  "a b",
  "a/",
  "a?",
  "a#b",
  "u@a",
  "[::1",
  "::1",
  "a:b",
  "a:1:2",
  "a\\b",
  "ü",
  "a\n",
  "%",
  "a%zz",
  "256.1.1.1",
  "a:99999",
])("%j is none, also after a valid one", (host) => {
  expect(isValidHost("a")).toBe(true);
  expect(isValidHost(host)).toBe(false);
});

test("a valid Host makes an address whose path is the target alone", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", minLength: 1 }), (host) => {
      if (!isValidHost(host) || !URL.canParse(`http://${host}/v1/plants?x`)) return;
      expect(new URL(`http://${host}/v1/plants?x`)).toMatchObject({
        pathname: "/v1/plants",
        search: "?x",
        username: "",
      });
    }),
    { numRuns: 2000 },
  );
});
