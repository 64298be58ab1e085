import { afterAll, expect, test } from "bun:test";
import { startService } from "./support/service.ts";
import { newAccount, PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

const service = await startService();
afterAll(() => service.stop());

const FOREIGN: readonly Record<string, string>[] = [
  { Origin: "https://evil.example" },
  { Origin: "null" },
  { Origin: "", Referer: "https://evil.example/page" },
  { "Sec-Fetch-Site": "cross-site" },
  { "Sec-Fetch-Site": "same-site" },
  { "Sec-Fetch-Site": "none" },
];

test("a changing request that another site's page sends is refused, though the cookie came with it", async () => {
  const { browser } = await signedInBrowser(service);
  const origin = { Origin: service.url, "Sec-Fetch-Site": "same-origin" };
  for (const foreign of FOREIGN) {
    for (const path of ["/auth/sign-out", "/dashboard/api/access-token", "/dashboard/api/account/delete"]) {
      const answer = await browser.send("POST", path, {}, foreign);
      expect([path, foreign, answer.status, (await answer.json()).error]).toEqual([path, foreign, 403, 40350]);
    }
  }
  expect((await browser.send("POST", "/dashboard/api/access-token", {}, origin)).status).toBe(200);
});

test("a form of another site cannot sign its reader in to the attacker's account", async () => {
  const email = await newAccount(service);
  const attacked = new TestBrowser(service, { origin: "https://evil.example" });
  expect((await attacked.signIn(email, PASSWORD)).status).toBe(403);
  expect(attacked.cookies.size).toBe(0);
  const form = await fetch(`${service.url}/auth/sign-in/email`, {
    method: "POST",
    headers: { "Content-Type": "text/plain" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  expect(form.status).toBe(415);
});

test("the page's own origin is the one that it was opened by: 127.0.0.1 and localhost alike, but not mixed", async () => {
  const email = await newAccount(service);
  const local = service.url.replace("127.0.0.1", "localhost");
  expect((await new TestBrowser({ url: local }).signIn(email, PASSWORD)).status).toBe(200);
  expect((await new TestBrowser({ url: local }, { origin: service.url }).signIn(email, PASSWORD)).status).toBe(403);
});

test("with BASE_URL only its own origin may change anything, and the refusal names it", async () => {
  const fixed = await service.restart({ BASE_URL: "https://plants.example" });
  const email = await newAccount(fixed);
  const refused = await new TestBrowser(fixed).signIn(email, PASSWORD);
  expect([refused.status, (await refused.json()).message]).toEqual([403, expect.stringContaining("plants.example")]);
  const right = await new TestBrowser(fixed, { origin: "https://plants.example" }).signIn(email, PASSWORD);
  expect(right.status).toBe(200);
  await fixed.stop();
});
