import { expect, test } from "bun:test";
import { pageHeaders, privateHeaders } from "./page-headers.ts";

test("a page runs scripts from its own files alone, in no frame, and may use passkeys but no camera", () => {
  const page = pageHeaders(true);
  const policy = page["Content-Security-Policy"]?.split("; ") ?? [];
  const directives = ["default-src 'none'", "script-src 'self'", "object-src 'none'", "base-uri 'none'"];
  expect(policy).toEqual(expect.arrayContaining([...directives, "frame-ancestors 'none'"]));
  expect(policy.join()).not.toMatch(/https?:|\*|unsafe-eval/);
  expect(page).toMatchObject({
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
  });
  for (const permission of ["camera=()", "microphone=()", "geolocation=()", "publickey-credentials-get=(self)"])
    expect(page["Permissions-Policy"]).toContain(permission);
});

test("data of a page has its headers, is stored nowhere, and is no page itself", () => {
  const { "Content-Security-Policy": policy = "", "Cache-Control": caching, ...others } = privateHeaders(true);
  expect(pageHeaders(true)).toMatchObject(others);
  expect([caching, policy.split("; ").filter((directive) => !directive.endsWith(" 'none'"))]).toEqual(["no-store", []]);
  expect(policy).toStartWith("default-src 'none'; ");
});
