import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { MailServer } from "../support/mail-server.ts";
import { startService } from "../support/service.ts";
import { PASSWORD } from "../support/test-browser.ts";

const EMAIL = "new-reader@example.test";
const NEXT_PASSWORD = "calathea by the window";

const mails = await MailServer.start();
// BASE_URL must be known before the service starts.
const port = String(freePort());
const settings = { SMTP_URL: mails.url, BASE_URL: `http://127.0.0.1:${port}`, PORT: port, SIGNUP: "open" };
const service = await startService({ settings });
const opened = await TestPage.open(service);
afterAll(async () => {
  await opened.close();
  await service.stop();
  await mails.stop();
});

/** The link of a mail, as a path below the dashboard's. */
async function linkIn(subject: string): Promise<string> {
  let link: string | undefined;
  await eventually(`"${subject}" arrives`, () => {
    const mail = mails.received.find((received) => received.to === EMAIL && received.subject === subject);
    link = mail?.text.split(`${service.url}/dashboard`)[1]?.split(/\s/)[0];
    return link !== undefined;
  });
  return link ?? "";
}

test("an open sign-up from the sign-in page, and a lost password recovered by mail", async () => {
  const { page } = opened;
  await opened.goto("/sign-in");
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Your name").fill("Rosa Blatt");
  await page.getByLabel("Name of the nursery").fill("Blattwerk");
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("link", { name: "Import a file" }).waitFor();
  await opened.goto(await linkIn("Verify your e-mail address"));
  await page.getByRole("main").getByRole("button").click();
  await page
    .getByText(/verified/i)
    .first()
    .waitFor();

  const forgetful = await TestPage.open(service);
  const { page: entrance } = forgetful;
  await forgetful.goto("/sign-in");
  await entrance.getByRole("link", { name: "Forgot your password?" }).click();
  await entrance.getByLabel("E-mail").fill(EMAIL);
  await entrance.getByRole("button", { name: "Send the link" }).click();
  await entrance.getByText("a link is on its way").waitFor();
  await forgetful.goto(await linkIn("Set a new password"));
  await entrance.locator("input[name=password]").fill(NEXT_PASSWORD);
  await entrance.getByRole("button", { name: "Set the password" }).click();
  await entrance.getByText("Your password is set").waitFor();

  await entrance.getByRole("link", { name: "Back to sign-in" }).click();
  await entrance.getByLabel("E-mail").fill(EMAIL);
  await entrance.locator("input[name=password]").fill(NEXT_PASSWORD);
  await entrance.getByRole("button", { name: "Sign in", exact: true }).click();
  await entrance.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  // The session of before ended with the old password.
  await page.goto("/dashboard");
  await page.getByRole("heading", { name: "Sign in to Plantstore" }).waitFor();
  expect([...opened.complaints, ...forgetful.complaints]).toEqual([]);
  await forgetful.close();
});
