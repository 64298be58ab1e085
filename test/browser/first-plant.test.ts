import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { PATH_WITH_CURL } from "../support/curl.ts";
import { startService } from "../support/service.ts";
import { welcomeCode } from "../support/test-browser.ts";

const service = await startService();
const opened = await TestPage.open(service);
afterAll(async () => {
  await opened.close();
  await service.stop();
});

/** Runs a line that the page shows in a shell, as a reader would who pastes it into a terminal. */
async function runShown(line: string): Promise<string> {
  const shell = Bun.spawn(["sh", "-c", `${line} --silent --show-error`], {
    env: { ...process.env, PATH: PATH_WITH_CURL },
    stdout: "pipe",
    stderr: "pipe",
  });
  return (await new Response(shell.stdout).text()) + (await new Response(shell.stderr).text());
}

test("from the one-time link to a first plant by pasting the shown line, which the page then shows by itself", async () => {
  const { page } = opened;
  await opened.goto(`/welcome?code=${await welcomeCode(service)}`);
  await page.getByLabel("Your name").fill("Rosa Blatt");
  await page.getByLabel("Name of the nursery").fill("Gärtnerei Blattwerk");
  await page.getByLabel("E-mail").fill("owner@example.test");
  await page.locator("input[name=password]").fill("monstera in the rain");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("link", { name: "Import a file" }).waitFor();

  await page.getByRole("link", { name: "Developer" }).click();
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("First steps");
  await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  const secret = await opened.keepSecret("token");
  expect(secret).toMatch(/^plant_[0-9A-Za-z]{36}$/);

  await page.getByRole("button", { name: "Copy the example" }).click();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).toContain(secret);
  expect(await runShown(line)).toBe('{"name":"Monstera deliciosa","tag":"indoor"}');
  await page.getByText("Your plant arrived").waitFor();

  await page.getByRole("link", { name: "Go to your plants" }).click();
  await page.getByRole("table", { name: "Plants" }).getByRole("button", { name: "Monstera deliciosa" }).waitFor();
  await page.getByRole("link", { name: "Developer" }).click();
  await page.getByRole("link", { name: "Tokens", exact: true }).click();
  await page.getByRole("cell", { name: "read, write" }).waitFor();
  for (const path of ["", "/plants", "/developer/tokens", "/settings"]) {
    await opened.goto(path);
    expect(await page.content()).not.toContain(secret);
  }
  const stored = () => JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage });
  expect(await page.evaluate(stored)).not.toContain(secret);
  expect(opened.complaints).toEqual([]);
});

test("an empty store leads to a first plant by hand, and by the sample of the import, each seen in the list", async () => {
  const empty = await TestPage.signedIn(service);
  const { page } = empty;
  await empty.goto("");
  const [sample] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Get a sample" }).click(),
  ]);
  const ways = page.getByRole("region", { name: "Ways to add plants" });
  await ways.getByRole("link", { name: "Import a file" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles(await sample.path());
  await dialog.getByRole("button", { name: "Import" }).click();
  await page.getByRole("table", { name: "Plants" }).getByRole("button", { name: "Ficus benjamina" }).waitFor();

  const other = await TestPage.signedIn(service);
  // The id that is suggested comes after the plant was added.
  await other.page.route("**/plants/next-id", async (route) => {
    await Bun.sleep(1000);
    await route.continue();
  });
  await other.goto("/plants");
  await other.page.getByRole("region", { name: "Ways to add plants" }).getByRole("link", { name: "Add plant" }).click();
  const panel = other.page.getByRole("dialog");
  await panel.getByRole("textbox", { name: "Name", exact: true }).fill("Aloe vera");
  await panel.getByRole("button", { name: "Add plant", exact: true }).click();
  await other.page.getByRole("table", { name: "Plants" }).getByRole("button", { name: "Aloe vera" }).waitFor();
  for (const opened of [empty, other]) {
    expect(opened.complaints).toEqual([]);
    await opened.close();
  }
});
