import { expect, test } from "bun:test";
import { preferredEncoding } from "./dashboard-pages.ts";

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP", "gzip"],
  ["br;q=0.5, gzip;q=0.9", "br"],
  ["br; q=0, gzip", "gzip"],
  ["br;q=0.000, gzip;q=0", "identity"],
  ["", "identity"],
  ["identity", "identity"],
] as const)("Accept-Encoding %p is answered with %p", (header, encoding) => {
  expect(preferredEncoding(header)).toBe(encoding);
});
