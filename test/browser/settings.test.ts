import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { newAccount, PASSWORD } from "../support/test-browser.ts";
import { totpCode } from "../support/totp.ts";

const opened = await TestPage.open(await dashboardService());
const { page } = opened;
let email = await newAccount(opened.service);
await opened.takeSession(email);
afterAll(() => opened.close());

async function signOut(): Promise<void> {
  await page.getByRole("button", { name: email }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Plantstore" }).waitFor();
}

async function signIn(): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("a chosen theme stays after a reload, and is there before the first paint", async () => {
  await opened.goto("/settings");
  await page.getByRole("button", { name: email }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  const theme = () => page.locator("html").getAttribute("data-mantine-color-scheme");
  expect(await theme()).toBe("dark");
  await page.reload();
  expect(await theme()).toBe("dark");
}, 120_000);

test("a password is masked until it is shown, and may be pasted", async () => {
  await opened.goto("/settings/security");
  const field = page.locator("input[name=newPassword]");
  expect(await field.getAttribute("type")).toBe("password");
  await page.evaluate(() => navigator.clipboard.writeText("pasted from a password manager"));
  await field.focus();
  await page.keyboard.press("ControlOrMeta+V");
  expect(await field.inputValue()).toBe("pasted from a password manager");
  expect(await field.getAttribute("autocomplete")).toBe("new-password");
  await page.locator(".mantine-PasswordInput-root", { has: field }).getByRole("button").click();
  expect(await field.getAttribute("type")).toBe("text");
}, 120_000);

test("at an address of digits, to which no passkey can belong, the page says where there is one", async () => {
  await opened.goto("/settings/security");
  const section = page.getByRole("region", { name: "Passkeys" });
  const named = opened.service.url.replace("127.0.0.1", "localhost");
  expect(await section.getByRole("link").getAttribute("href")).toBe(`${named}/dashboard/settings/security`);
  expect(await section.getByRole("button", { name: "Add passkey" }).count()).toBe(0);
}, 120_000);

test("a second factor is turned on with a first code, and asked for at the next sign-in", async () => {
  await opened.goto("/settings/security");
  const dialog = page.getByRole("dialog");
  const setup = page.waitForResponse((answer) => /two-factor\/enable/.test(answer.url()) && answer.ok());
  await page.getByRole("button", { name: "Turn on" }).click();
  await opened.confirm();
  const { totpURI } = await (await setup).json();
  await dialog.getByRole("img", { name: /QR code/ }).waitFor();
  await dialog.getByLabel("Code that the app shows").fill(totpCode(totpURI));
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await dialog.getByRole("button", { name: "Copy the backup codes" }).waitFor();
  await page.keyboard.press("Escape");
  await dialog.getByText("Close anyway?").waitFor();
  await dialog.getByRole("button", { name: "Show it again" }).click();
  await dialog.getByRole("button", { name: "Copy the backup codes" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Turn off" }).waitFor();

  await signOut();
  await signIn();
  await page.getByLabel("Code from your authenticator app").fill(totpCode(totpURI, 1));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}, 120_000);

test("a passkey is added, and signs in without a password", async () => {
  const devtools = await opened.context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  // A passkey belongs to a name, not to an address of digits.
  const local = opened.service.url.replace("127.0.0.1", "localhost");
  email = await newAccount(opened.service);
  await page.goto(`${local}/dashboard/sign-in?back=/dashboard/settings/security`);
  await signIn();
  await page.getByLabel("Name of the new passkey").fill("Office laptop");
  await page.getByRole("button", { name: "Add passkey" }).click();
  await opened.confirm();
  await page.getByText("Office laptop").first().waitFor();
  await signOut();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}, 120_000);
