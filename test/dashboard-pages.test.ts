import { afterAll, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { startService } from "./support/service.ts";
import { signedInBrowser } from "./support/test-browser.ts";

const service = await startService();
afterAll(() => service.stop());
const { browser } = await signedInBrowser(service);
const SIGNED_IN = { Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ") };

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, {
    headers: { "Accept-Encoding": "identity", ...headers },
    redirect: "manual",
    decompress: false,
  } as RequestInit);

async function assetOf(extension: string): Promise<string> {
  const page = await (await get("/dashboard", SIGNED_IN)).text();
  return new RegExp(`/dashboard/assets/main-[a-z0-9]+\\.${extension}`).exec(page)?.[0] ?? "";
}

test("the bare address leads to the dashboard, and every address below it is a page without a script of its own", async () => {
  const bare = await get("/");
  expect([bare.status, bare.headers.get("location")]).toEqual([302, "/dashboard"]);
  for (const path of ["/dashboard", "/dashboard/", "/dashboard/developer?token=x", "/dashboard/greenhouse"]) {
    const answer = await get(path, SIGNED_IN);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    expect(answer.headers.get("content-security-policy")).toContain("script-src 'self';");
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    const page = await answer.text();
    expect(page).toMatch(/<script type="module" src="\/dashboard\/assets\/main-[a-z0-9]+\.js"/);
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/);
  }
});

test("a page is painted from its HTML: the frame and the page's heading stand in it", async () => {
  const plants = await (await get("/dashboard/plants", SIGNED_IN)).text();
  expect(plants).toContain("<title>Plants · Plantstore</title>");
  for (const shown of [">Plants</h1>", 'href="/dashboard/settings"', "Search by name or id"]) {
    expect(plants).toContain(shown);
  }
});

test("/docs is a page for everybody, of the same program and policy; below it there is nothing", async () => {
  const answer = await get("/docs");
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
  expect(answer.headers.get("content-security-policy")).toContain("script-src 'self';");
  const reference = await answer.text();
  expect(reference).toContain("<title>API reference · Plantstore</title>");
  for (const shown of [">API reference</h1>", ">Sign in<", 'href="#createPlant"']) expect(reference).toContain(shown);
  expect((await get("/docs/reference.js")).status).toBe(404);
});

test("a page comes compressed too", async () => {
  const answer = await get("/dashboard/plants", { ...SIGNED_IN, "Accept-Encoding": "br" });
  expect(answer.headers.get("content-encoding")).toBe("br");
  const page = await (await get("/dashboard/plants", SIGNED_IN)).text();
  expect(brotliDecompressSync(await answer.bytes()).toString()).toBe(page);
});

test("a file comes as the client takes it, brotli before gzip before as it is, and is kept for good", async () => {
  const path = await assetOf("js");
  const plain = await get(path, { "Accept-Encoding": "identity" });
  const content = await plain.text();
  expect(plain.headers.get("content-encoding")).toBeNull();
  for (const [accepted, coding, decode] of [
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip, br;q=0", "gzip", gunzipSync],
  ] as const) {
    const answer = await get(path, { "Accept-Encoding": accepted });
    expect(answer.headers.get("content-encoding")).toBe(coding);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(answer.headers.get("vary")).toBe("Accept-Encoding");
    expect(decode(await answer.bytes()).toString()).toBe(content);
  }
});

test("a file of another version is 404, and a change of anything here 405, both in the Error shape", async () => {
  const missing = await get("/dashboard/assets/main-00000000.js");
  expect([missing.status, await missing.json()]).toEqual([404, { error: 40401, message: expect.any(String) }]);
  const change = await fetch(`${service.url}/dashboard`, { method: "DELETE" });
  expect([change.status, await change.json()]).toEqual([405, { error: 40501, message: expect.any(String) }]);
  expect(change.headers.get("allow")).toBe("GET, HEAD");
  expect(change.headers.get("request-id")).toStartWith("req_");
});

test("a browser that asks for /favicon.ico gets the icon", async () => {
  const answer = await get("/favicon.ico");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
});
