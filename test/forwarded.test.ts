import { afterAll, expect, test } from "bun:test";
import { startService, type TestService } from "./support/service.ts";
import { newAccount, PASSWORD, TestBrowser } from "./support/test-browser.ts";

const proxied = await startService({ settings: { TRUSTED_PROXIES: "127.0.0.1, 198.51.100.0/24" } });
afterAll(() => proxied.stop());

const FORWARDED = {
  "X-Forwarded-For": "203.0.113.9, 198.51.100.7, 127.0.0.1",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-Host": "plants.example",
  "X-Plantstore-Client-Address": "203.0.113.66",
};

async function seenAs(
  service: TestService,
  origin: string,
): Promise<{ base: string; address: string; cookie: string }> {
  const email = await newAccount(service);
  const browser = new TestBrowser(service, { headers: FORWARDED, origin });
  const answer = await browser.signIn(email, PASSWORD);
  expect(answer.status).toBe(200);
  const { base_url: base } = await (await browser.get("/dashboard/api/session")).json();
  const { sessions } = await (await browser.get("/dashboard/api/sessions")).json();
  return { base, address: sessions[0].address, cookie: answer.headers.getSetCookie()[0] ?? "" };
}

test("what is forwarded by anyone but a trusted proxy is dropped: address, scheme and host", async () => {
  const service = await startService({ settings: { TRUSTED_PROXIES: "192.0.2.0/24" } });
  const seen = await seenAs(service, service.url);
  expect(seen).toMatchObject({ base: service.url, address: "127.0.0.1" });
  expect(seen.cookie).not.toContain("Secure");
  await service.stop();
});

test("what a trusted proxy forwards counts: the nearest address that is no proxy, HTTPS, and the public host", async () => {
  const seen = await seenAs(proxied, "https://plants.example");
  expect(seen).toMatchObject({ base: "https://plants.example", address: "203.0.113.9" });
  expect(seen.cookie).toStartWith("__Host-plantstore.session_token=");
});

test("links and the published document have the address by which the client reached the proxy", async () => {
  const authorization = { Authorization: `Bearer ${await proxied.token()}` };
  for (const id of [1, 2]) {
    const body = `{"id":${id},"name":"Fern"}`;
    expect((await fetch(`${proxied.url}/v1/plants`, { method: "POST", headers: authorization, body })).status).toBe(
      200,
    );
  }
  const ask = (path: string) => fetch(proxied.url + path, { headers: { ...authorization, ...FORWARDED } });
  expect((await ask("/v1/plants?limit=1")).headers.get("Link")).toStartWith("<https://plants.example/v1/plants?");
  expect((await (await ask("/openapi.json")).json()).servers).toMatchObject([{ url: "https://plants.example" }]);
  const entry = await ask("/llms.txt");
  expect(await entry.text()).toContain("(https://plants.example/openapi.json)");
  // No cache on the way may give it to a client that reached the service under another address.
  expect(entry.headers.get("cache-control")).toBe("private, no-cache");
});

test("every answer to a request by HTTPS carries HSTS, none by HTTP", async () => {
  const hsts = async (path: string, proto: string, init: RequestInit = {}) => {
    const answer = await fetch(proxied.url + path, {
      ...init,
      redirect: "manual",
      headers: { "X-Forwarded-Proto": proto },
    });
    return answer.headers.get("Strict-Transport-Security");
  };
  const post = { method: "POST", body: "{}" };
  for (const path of [
    "/",
    "/v1/plants",
    "/nowhere",
    "/healthz",
    "/openapi.json",
    "/docs",
    "/dashboard",
    "/dashboard/api/session",
  ]) {
    expect([path, await hsts(path, "https")]).toEqual([path, "max-age=63072000; includeSubDomains"]);
    expect([path, await hsts(path, "http")]).toEqual([path, null]);
  }
  expect(await hsts("/v1/plants", "https", post)).not.toBeNull();
});
