import { expect, test } from "bun:test";
import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { crc32 } from "./crc32.ts";

test("the checksum of ASCII text is that of zlib", () => {
  expect(crc32("123456789")).toBe(0xcbf43926);
  fc.assert(fc.property(fc.string({ unit: "binary-ascii" }), (text) => expect(crc32(text)).toBe(zlibCrc32(text))));
});
