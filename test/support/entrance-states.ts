import type { Page } from "playwright-core";
import { TestPage } from "./browser.ts";
import type { DashboardState } from "./dashboard-states.ts";
import { freePort } from "./free-port.ts";
import { startService, type TestService } from "./service.ts";
import { PASSWORD, signedInBrowser, welcomeCode } from "./test-browser.ts";
import { earlierTotpCode } from "./totp.ts";

const seen = (text: string) => (page: Page) => page.getByText(text).first().waitFor();

interface EntranceStates {
  readonly opened: TestPage;
  readonly states: readonly DashboardState[];
}

/** States of a service without any account. */
export async function firstAccountStates(): Promise<EntranceStates> {
  const service = await startService();
  const code = await welcomeCode(service);
  return {
    opened: await TestPage.open(service),
    states: [
      { name: "first-visit", path: "~/", reach: seen("No account yet?") },
      { name: "first-account", path: `/welcome?code=${code}`, reach: seen("Create your account") },
    ],
  };
}

/** A service with open sign-up and mail, and the second step of a sign-in to it. */
export async function openSignUpStates(): Promise<EntranceStates> {
  const service = await mailingService();
  const { browser, email } = await signedInBrowser(service);
  const { totpURI } = await (await browser.post("/auth/two-factor/enable", { password: PASSWORD })).json();
  await browser.post("/auth/two-factor/verify-totp", { code: await earlierTotpCode(totpURI) });
  const secondFactor = async (page: Page) => {
    await page.getByLabel("E-mail").fill(email);
    await page.locator("input[name=password]").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Code from your authenticator app").waitFor();
  };
  return {
    opened: await TestPage.open(service),
    states: [
      { name: "sign-in-open", path: "/sign-in", reach: seen("Create an account") },
      { name: "sign-up", path: "/welcome", reach: seen("Create your account") },
      {
        name: "recovery-sent",
        path: "/recovery",
        reach: async (page) => {
          await page.getByLabel("E-mail").fill("somebody@example.test");
          await page.getByRole("button", { name: "Send the link" }).click();
          await page.getByText("a link is on its way").waitFor();
        },
      },
      { name: "sign-in-second-factor", path: "/sign-in", reach: secondFactor },
      {
        name: "sign-in-backup-code",
        path: "/sign-in",
        reach: async (page) => {
          await secondFactor(page);
          await page.getByRole("button", { name: "Use a backup code" }).click();
          await page.getByLabel("Backup code").waitFor();
        },
      },
    ],
  };
}

/** Mail goes nowhere; the pages are the same. The address of the service must be known before its start. */
async function mailingService(): Promise<TestService> {
  const port = String(freePort());
  const mail = { SMTP_URL: "smtp://127.0.0.1:9", BASE_URL: `http://127.0.0.1:${port}`, PORT: port };
  return startService({ settings: { ...mail, SIGNUP: "open" } });
}
