import type { Page } from "playwright-core";
import { TestPage } from "./browser.ts";
import type { DashboardState } from "./dashboard-states.ts";
import { freePort } from "./free-port.ts";
import { TestIdentityProvider } from "./identity-provider.ts";
import { startService, type TestService } from "./service.ts";
import { newAccount, PASSWORD, signedInBrowser, welcomeCode } from "./test-browser.ts";
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

/** A service whose people sign in by an identity provider alone, and one of them, who has no password. */
export async function providerStates(): Promise<EntranceStates> {
  const idp = new TestIdentityProvider();
  const port = String(freePort());
  const url = `http://localhost:${port}`;
  const provider = { OIDC_ISSUER: idp.issuer, OIDC_CLIENT_ID: "plants", OIDC_NAME: "Garden login" };
  const settings = { PORT: port, BASE_URL: url, ...provider, OIDC_MEMBERS: "editor", OIDC_ONLY: "on" };
  const service = { ...(await startService({ settings })), url };
  await newAccount(service);
  const leave = async (page: Page) => {
    await page.getByRole("button", { name: "Sign in with Garden login" }).click();
    await page.getByRole("heading", { name: "Provider" }).waitFor();
  };
  return {
    opened: await TestPage.open(service),
    states: [
      { name: "provider-sign-in", path: "/sign-in", reach: seen("Sign in another way") },
      {
        name: "provider-other-ways",
        reach: (page) => page.getByRole("button", { name: "Sign in another way" }).click(),
      },
      {
        name: "provider-refused",
        path: "/sign-in",
        reach: async (page) => {
          await leave(page);
          await page.getByRole("link", { name: "Cancel" }).click();
          await page.getByText("You are not signed in").waitFor();
        },
      },
      {
        name: "provider-away",
        path: "/sign-in",
        async reach(page) {
          idp.mode = "down";
          await page.getByRole("button", { name: "Sign in with Garden login" }).click();
          await page.getByText("cannot be reached").waitFor();
          idp.mode = "up";
        },
      },
      {
        name: "provider-security",
        path: "/sign-in",
        async reach(page) {
          await leave(page);
          await page.getByRole("link", { name: "Agree" }).click();
          await page.getByRole("heading", { name: "Overview" }).waitFor();
          await page.goto("/dashboard/settings/security");
          await page.getByRole("heading", { name: "Identities" }).waitFor();
          await page.getByRole("button", { name: /^Remove/ }).waitFor();
        },
      },
      {
        name: "provider-proof",
        reach: async (page) => {
          await page.getByRole("button", { name: "Connect Garden login" }).click();
          await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
        },
      },
    ],
  };
}
