import { expect, test } from "bun:test";
import { baseAddress } from "./call-options.ts";

test("a base address may have a path, and slashes at its end are dropped", () => {
  expect(baseAddress("https://plants.example.com/")).toBe("https://plants.example.com");
  expect(baseAddress("http://[::1]:3000/store//")).toBe("http://[::1]:3000/store");
  expect(baseAddress(new URL("http://localhost"))).toBe("http://localhost");
});

test.each([
  "plants.example.com",
  "ftp://plants.example.com",
  "",
  "https://plants.example.com/?a=1",
  "https://plants.example.com/#a",
])("%p is no base address", (url) => {
  expect(() => baseAddress(url)).toThrow(TypeError);
});
