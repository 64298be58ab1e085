import { afterAll, beforeAll, expect, test } from "bun:test";
import { type OpenApp, openApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import { PASSWORD } from "#test/support/test-browser.ts";

const form = { email: "First@Example.test", password: PASSWORD };

let app: OpenApp;
beforeAll(async () => {
  app = await openApp({ SIGNUP: "open" });
});
afterAll(() => app.close());

test("the addresses of signing in refuse what they do not serve, and pages of another origin", async () => {
  const browser = app.stranger();
  await expectRefused(await browser.post("/auth/nowhere"), 40401, "The dashboard has no such address");
  const wrong = await browser.get("/auth/sign-in/email");
  expect(wrong.headers.get("Allow")).toBe("POST");
  await expectRefused(wrong, 40501, "GET is not allowed here; POST is");
  const origin = { Origin: "https://evil.example" };
  await expectRefused(await browser.send("POST", "/auth/sign-in/email", form, origin), 40350);
  await expectRefused(await browser.post("/auth/sign-in/email", { email: 7, password: PASSWORD }), 40003);
  await expectRefused(await browser.post("/auth/change-password", { newPassword: PASSWORD }), 40150);
});
