import { expect, test } from "bun:test";
import fc from "fast-check";
import { isValidHost, pathOf, queryOf } from "./address.ts";

test.each([
  ["http://h/v1/plants", "/v1/plants", ""],
  ["http://h:3000/v1/plants?limit=1", "/v1/plants", "limit=1"],
  ["https://plants.example/?a=1?b=/2", "/", "a=1?b=/2"],
  ["http://h/v1/plants?", "/v1/plants", ""],
  ["http://h/%2e%2e/a%20b", "/%2e%2e/a%20b", ""],
])("%s has the path %p and the query %p, as they were sent", (url, path, query) => {
  expect([pathOf(url), queryOf(url)]).toEqual([path, query]);
});

test("an address whose Host made no URL has no path", () => {
  expect(pathOf("/v1/plants")).toBeUndefined();
  expect(pathOf("http://h")).toBeUndefined();
});

const HOSTS = ["a", "127.0.0.1:80", "[::1]", "[::ffff:1.2.3.4]:3000", "xn--bcher-kva.example:", "a_b", "a%2Db"];
const NO_HOSTS = [
  ...["", " ", "a, b", "a,a", "a b", "a/", "a?", "a#b", "u@a", "[::1", "::1", "a:b", "a:1:2", "a\\b", "ü", "a\n", "%"],
  ...["a%zz", "256.1.1.1", "a:99999"],
];

test("a Host is a name or an address with a port, or missing in HTTP/1.0; another is none, also after a valid one", () => {
  for (const host of [...HOSTS, null]) expect([host, isValidHost(host), isValidHost(host)]).toEqual([host, true, true]);
  for (const host of NO_HOSTS) expect([host, isValidHost("a"), isValidHost(host)]).toEqual([host, true, false]);
});

test("a valid Host makes an address whose path is the target alone", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", minLength: 1 }), (host) => {
      if (!isValidHost(host) || !URL.canParse(`http://${host}/v1/plants?x`)) return;
      const { pathname, search, username } = new URL(`http://${host}/v1/plants?x`);
      expect([pathname, search, username]).toEqual(["/v1/plants", "?x", ""]);
    }),
    { numRuns: 2000 },
  );
});
