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
});

test("a second factor is turned on with a first code, with no request refused for a proof, and asked for at the next sign-in", async () => {
  await opened.goto("/settings/security");
  const refused: string[] = [];
  page.on("response", (answer) => answer.status() === 403 && refused.push(answer.url()));
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
  await opened.keepSecret("backup codes");
  await page.getByRole("button", { name: "Turn off" }).waitFor();
  expect(refused).toEqual([]);

  await signOut();
  await signIn();
  await page.getByLabel("Code from your authenticator app").fill(totpCode(totpURI, 1));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
});

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
});
