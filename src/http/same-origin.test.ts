import { expect, test } from "bun:test";
import { refusal } from "#test/support/refusal.ts";
import { requireSameOrigin } from "./same-origin.ts";

const ORIGIN = "https://plants.example";

function isRefused(headers: Record<string, string>, method = "POST"): boolean {
  const client = { origin: ORIGIN, address: "192.0.2.1", headers: new Headers(headers) };
  const [code, message] = refusal(() => requireSameOrigin(method, client));
  return code === "origin-refused" && message.includes(`${ORIGIN}/dashboard`);
}

test("the dashboard's own page may change things, by whichever header its browser sends", () => {
  const own: Record<string, string>[] = [
    { "Sec-Fetch-Site": "same-origin", Origin: ORIGIN },
    { Origin: ORIGIN },
    { Referer: `${ORIGIN}/dashboard/plants?q=x` },
  ];
  for (const headers of own) expect([headers, isRefused(headers)]).toEqual([headers, false]);
});

test("a page of any other origin may not, though one header of several looks right", () => {
  const foreign: Record<string, string>[] = [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site", Origin: ORIGIN },
    { "Sec-Fetch-Site": "none", Origin: ORIGIN },
    { "Sec-Fetch-Site": "same-origin", Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: "http://plants.example" },
    { Origin: "https://plants.example:8443" },
    { Origin: "https://plants.example.evil.example" },
    { Origin: "https://evil.example", Referer: `${ORIGIN}/dashboard` },
    { Referer: "https://evil.example/?https://plants.example" },
    { Referer: "plants.example" },
    { Origin: "", Referer: `${ORIGIN}/dashboard` },
  ];
  for (const headers of foreign) expect([headers, isRefused(headers)]).toEqual([headers, true]);
});

test("a read is never refused, and neither is a program that is no browser", () => {
  expect(isRefused({ "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }, "GET")).toBe(false);
  expect(isRefused({ "Sec-Fetch-Site": "cross-site" }, "HEAD")).toBe(false);
  expect(isRefused({})).toBe(false);
});
