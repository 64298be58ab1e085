import { expect, test } from "bun:test";
import { pathOf, publicOrigin, queryOf } from "./address.ts";

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

test("links begin with the public address where one is set, without a slash at its end", () => {
  expect(publicOrigin(undefined, "http://10.0.0.1:3000/v1/plants")).toBe("http://10.0.0.1:3000");
  expect(publicOrigin("https://plants.example//", "http://10.0.0.1:3000/v1")).toBe("https://plants.example");
  expect(publicOrigin("https://example/store/", "http://10.0.0.1:3000/v1")).toBe("https://example/store");
});
