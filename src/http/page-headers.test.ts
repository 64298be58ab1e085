import { describe, expect, test } from "bun:test";
import { HSTS, pageHeaders, privateHeaders } from "./page-headers.ts";

/** A policy by its directives. */
function policy(headers: Record<string, string>): Record<string, string> {
  const directives = headers["Content-Security-Policy"]?.split("; ") ?? [];
  return Object.fromEntries(directives.map((each) => [each.split(" ")[0], each.slice(each.indexOf(" ") + 1)]));
}

describe("a page", () => {
  test("runs scripts from its own files alone, and nothing that is not named", () => {
    expect(policy(pageHeaders(true))).toMatchObject({
      "default-src": "'none'",
      "script-src": "'self'",
      "connect-src": "'self'",
      "object-src": "'none'",
      "base-uri": "'none'",
    });
    expect(pageHeaders(true)["Content-Security-Policy"]).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  test("is shown in no frame, and gives its address to no other site", () => {
    expect(policy(pageHeaders(false))["frame-ancestors"]).toBe("'none'");
    expect(pageHeaders(false)).toMatchObject({
      "X-Frame-Options": "DENY",
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
    });
  });

  test("may use passkeys, and neither a camera nor a microphone", () => {
    const permissions = pageHeaders(true)["Permissions-Policy"];
    for (const name of ["camera=()", "microphone=()", "geolocation=()", "publickey-credentials-get=(self)"]) {
      expect(permissions).toContain(name);
    }
  });

  test("is kept to HTTPS for at least a year where it came by HTTPS, and only there", () => {
    expect(pageHeaders(true)["Strict-Transport-Security"]).toBe(HSTS);
    expect(Number(/max-age=(\d+)/.exec(HSTS)?.[1])).toBeGreaterThanOrEqual(365 * 24 * 3600);
    expect(pageHeaders(false)).not.toHaveProperty("Strict-Transport-Security");
  });
});

describe("data of the page", () => {
  test("is stored nowhere, and is no page itself", () => {
    const headers = privateHeaders(true);
    expect(headers["Cache-Control"]).toBe("no-store");
    const { "default-src": source, "form-action": form, ...others } = policy(headers);
    expect([source, form]).toEqual(["'none'", "'none'"]);
    expect(Object.values(others)).toEqual(["'none'", "'none'", "'none'"]);
  });

  test("has all other headers of a page", () => {
    const { "Content-Security-Policy": _, "Cache-Control": __, ...others } = privateHeaders(true);
    expect(pageHeaders(true)).toMatchObject(others);
  });
});
