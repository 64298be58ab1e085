import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { fill } from "../support/dashboard-states.ts";
import { startService } from "../support/service.ts";
import { newAccount, PASSWORD } from "../support/test-browser.ts";

let opened: TestPage;
let email: string;

beforeAll(async () => {
  const service = await dashboardService();
  opened = await TestPage.open(service);
  email = await newAccount(service);
});
afterAll(() => opened.close());

test("a deep link leads to the sign-in and from there to where it points", async () => {
  const { page } = opened;
  await page.goto("/dashboard/plants?q=fern&order=id");
  await page.getByLabel("E-mail").fill(email);
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Plants", exact: true }).waitFor();
  expect(page.url()).toBe(`${opened.service.url}/dashboard/plants?q=fern&order=id`);
  expect(await page.getByLabel("Search the names").inputValue()).toBe("fern");
}, 30_000);

test("each page has its address and title, the bare one leads there, and the back button goes back", async () => {
  const { page } = opened;
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard");
  for (const name of ["Plants", "Developer", "Settings"]) {
    await page.getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${name.toLowerCase()}`);
    expect(await page.title()).toBe(`${name} · Plantstore`);
  }
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Developer" }).waitFor();
}, 30_000);

test("when the session ends, one signs in over the page, and what was typed is still there", async () => {
  const { page, context } = opened;
  await opened.goto("/developer?make=token");
  await page.getByRole("dialog").getByLabel("Name").fill("Half typed");
  await context.clearCookies();
  await page.getByRole("dialog").getByRole("button", { name: "Make the token" }).click();
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.locator("input[name=password]").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Half typed");
  await page.getByRole("dialog").getByRole("button", { name: "Make the token" }).click();
  await page.getByRole("button", { name: "Copy the token" }).waitFor();
}, 30_000);

test("a chart that cannot be loaded leaves the rest of the page, and says where its figures are", async () => {
  const { page } = opened;
  await fill(opened);
  await page.route(/usage-chart/, (route) => route.abort());
  await page.goto("/dashboard");
  await page.getByText("the table below has the same figures").waitFor();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.unroute(/usage-chart/);
}, 30_000);

test("a lost connection is said in a bar and found again by itself", async () => {
  const service = await startService();
  const lost = await TestPage.signedIn(service);
  await lost.goto("/plants");
  await lost.page.getByText("No plants yet").waitFor();
  await service.stop();
  await lost.page.getByLabel("Search the names").fill("fern");
  await lost.page.getByText("The service does not answer").first().waitFor();
  const again = await service.restart({ PORT: new URL(service.url).port });
  await lost.page.getByText("Trying again every two seconds").waitFor({ state: "detached" });
  await lost.page.getByText("No plant fits").waitFor();
  await lost.close();
  await again.stop();
}, 60_000);
