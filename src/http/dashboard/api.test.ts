import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { type OpenApp, openApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { TestBrowser } from "#test/support/test-browser.ts";

const API = "/dashboard/api";
let app: OpenApp;
let browser: TestBrowser;
beforeAll(async () => {
  app = await openApp();
  browser = await app.browser(await app.account());
});
afterAll(() => app.close());

describe("an address", () => {
  test("is checked first, then its method, then who asks", async () => {
    const stranger = app.stranger();
    await expectRefused(await stranger.post(`${API}/nowhere`, { name: "x".repeat(17 * 1024) }), 40401);
    await expectRefused(await stranger.send("DELETE", `${API}/tokens`), 40501);
    await expectRefused(await stranger.get(`${API}/tokens`), 40150);
  });

  test("that the dashboard does not have is refused as unknown", async () => {
    await expectRefused(await browser.get(`${API}/nowhere`), 40401, "The dashboard has no such address");
    await expectRefused(await browser.get(`${API}/tokens/x/y/z`), 40401);
    for (const path of ["people/", "people//remove", "tokens/"]) {
      await expectRefused(await browser.get(`${API}/${path}`), 40401);
    }
  });

  test("that serves another method is refused with the methods that it serves", async () => {
    const answer = await browser.send("DELETE", `${API}/tokens`);
    expect(answer.headers.get("Allow")?.split(", ").sort()).toEqual(["GET", "HEAD", "POST"]);
    await expectRefused(answer, 40501, "DELETE is not allowed here; ");
    const patched = await browser.send("GET", `${API}/tokens/tok_1`);
    expect(patched.headers.get("Allow")).toBe("PATCH");
    await expectRefused(patched, 40501);
  });

  test.each(["%00", "%ff", "a%C0%80"])(
    "with the bytes %s in a segment or in its query is refused as malformed",
    async (bytes) => {
      await expectRefused(await browser.get(`${API}/requests/${bytes}`), 40004);
      if (bytes !== "%00") return;
      for (const query of ["token=%00", "%00=b"])
        await expectRefused(await browser.get(`${API}/requests?${query}`), 40004);
    },
  );

  test("with any other text is taken", async () => {
    expect((await browser.get(`${API}/plants/matches?q=%F0%9F%8C%B1%2F&tag=%C3%84`)).status).toBe(200);
  });
});

describe("a form", () => {
  const send = (method: string, path: string, body: BodyInit, headers: Record<string, string> = {}) => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = { Cookie: cookie, Origin: "http://127.0.0.1:3000", "Content-Type": "application/json", ...headers };
    return app.send(API + path, { method, headers: sent, body });
  };
  const post = (body: string, headers?: Record<string, string>) => send("POST", "/tokens", body, headers);

  test.each([
    ["", 40002],
    ["{}", 40002],
    ['{"name":5}', 40003],
    ["{", 40001],
    ["[]", 40002],
    ["null", 40002],
    ['"text"', 40002],
    ['{"name":"a"} {}', 40001],
  ])("of %s is refused", async (body, error) => {
    await expectRefused(await post(body), error);
  });

  test("of another type is refused, and one that is too long is not read", async () => {
    await expectRefused(await post("{}", { "Content-Type": "text/plain" }), 41501);
    await expectRefused(await post("{}", { "Content-Type": "application/x-www-form-urlencoded" }), 41501);
    await expectRefused(await post(JSON.stringify({ name: "x".repeat(17 * 1024) })), 41301);
    await expectRefused(await post(`{"more":${"[".repeat(1001)}${"]".repeat(1001)}}`), 40003, "Cannot read the form");
  });

  test("is not read for who is not signed in, and has its limit where it has no members too", async () => {
    const long = { name: "x".repeat(17 * 1024) };
    await expectRefused(await app.stranger().post(`${API}/tokens`, long), 40150);
    await expectRefused(await browser.post(`${API}/sessions/end-others`, long), 41301);
  });

  test("is refused if the session has ended while it was under way", async () => {
    browser = await app.browser(await app.account());
    const body = new ReadableStream(
      {
        async pull(sent) {
          await browser.post("/auth/sign-out");
          sent.enqueue(new TextEncoder().encode('{"name":"Till"}'));
          sent.close();
        },
      },
      { highWaterMark: 0 },
    );
    await expectRefused(await send("PATCH", "/tokens/tok_1", body), 40150);
    browser = await app.browser(await app.account());
  });

  test("with text that cannot be kept, anywhere in it, is refused by the name of the member", async () => {
    const form = { name: "Till", scopes: ["a\0"], expires_at: null };
    await expectRefused(await post(JSON.stringify(form)), 40003, 'Cannot take "0": it holds U+0000');
    await expectRefused(await post('{"name":"\\ud800"}'), 40003, 'Cannot take "name": it holds U+0000 or a lone');
  });
});

test("every answer is private: kept by no cache, shown in no frame, and read by no other site; refusals too", async () => {
  for (const path of ["/session", "/tokens", "/nowhere"]) {
    const { headers } = await browser.send("GET", API + path, undefined, { Origin: "https://evil.example" });
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("Request-Id")).toStartWith("req_");
    expect(headers.get("Plantstore-Version")).toBeNull();
    expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
  }
});

test("a fault is answered with the request's id, and says nothing of its cause", async () => {
  const own = await openApp();
  const holder = await own.account();
  const signedIn = await own.browser(holder);
  await sql`DROP TABLE audit_entries`.execute(own.storage.db);
  const answer = await signedIn.get(`${API}/audit`);
  const id = answer.headers.get("Request-Id") ?? "-";
  const text = await answer.clone().text();
  await expectRefused(answer, 50001);
  expect(text).toContain(id);
  expect(text).not.toMatch(/audit_entries|SQL/i);
  await own.close();
});
