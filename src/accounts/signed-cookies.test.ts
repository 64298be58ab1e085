import { expect, test } from "bun:test";
import { type CookieName, hasCookie, SignedCookies } from "./signed-cookies.ts";

const HTTPS = "https://plants.example";
const HTTP = "http://127.0.0.1:3000";
const cookies = new SignedCookies("a secret of the tests");

/** The `Cookie` header of a browser that was given these `Set-Cookie` lines. */
function sent(...lines: string[]): Headers {
  return new Headers({ Cookie: lines.map((line) => line.split("; ")[0]).join("; ") });
}

test.each(["session_token", "two_factor", "passkey", "trusted_device", "device"] as const)(
  "the %s cookie is read as it was written, over both schemes",
  (name) => {
    for (const origin of [HTTPS, HTTP]) {
      const value = "a.b:c=d; ü%";
      expect(cookies.read(sent(cookies.write(origin, name, value)), origin, name)).toBe(value);
    }
  },
);

test("behind HTTPS a cookie is __Host- and Secure, and never reaches scripts", () => {
  const line = cookies.write(HTTPS, "device", "1", 60);
  expect(line).toStartWith("__Host-plantstore.device=");
  expect(line).toEndWith("; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax");
  expect(cookies.write(HTTP, "device", "1")).toEndWith("; Path=/; HttpOnly; SameSite=Lax");
});

test("a cookie that was altered, cut, or signed with another secret is none", () => {
  const line = cookies.write(HTTP, "device", "7");
  const broken = [
    line.replace("=7.", "=8."),
    line.replace(/\.([^;]{10})[^;]*/, ".$1"),
    line.replace(/=7\.[^;]*/, "=7"),
    line.replace(/=7\.[^;]*/, "=.7"),
    line.replace(/=7\.[^;]*/, "=%E0%A4%A"),
    new SignedCookies("another secret").write(HTTP, "device", "7"),
  ];
  for (const each of broken) expect(cookies.read(sent(each), HTTP, "device")).toBeUndefined();
});

test("a cookie does not pass for one of another name, nor one of HTTP for one of HTTPS", () => {
  const line = cookies.write(HTTPS, "device", "7");
  const renamed = line.replace("device", "trusted_device");
  expect(cookies.read(sent(renamed), HTTPS, "trusted_device")).toBeUndefined();
  expect(cookies.read(sent(cookies.write(HTTP, "device", "7")), HTTPS, "device")).toBeUndefined();
});

test("a cookie is found among others, and its name is not taken for the end of another", () => {
  const other = `x__Host-plantstore.device=1; ${"y".repeat(100)}=2`;
  const headers = sent(other, cookies.write(HTTPS, "device", "7"));
  expect(cookies.read(headers, HTTPS, "device")).toBe("7");
});

test("a cleared cookie ends at once", () => {
  expect(cookies.clear(HTTPS, "session_token")).toContain("=; Max-Age=0; ");
  const names: CookieName[] = ["session_token", "device"];
  const headers = sent(cookies.write(HTTPS, "device", "7"));
  expect(names.map((name) => hasCookie(headers, name))).toEqual([false, true]);
});
