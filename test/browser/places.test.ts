import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { freePort } from "../support/free-port.ts";
import { startService } from "../support/service.ts";
import { newAccount, PASSWORD } from "../support/test-browser.ts";

const opened = await TestPage.open(await dashboardService());
const email = await newAccount(opened.service);
afterAll(() => opened.close());

test("a deep link leads to the sign-in and from there to where it points", async () => {
  const { page } = opened;
  await page.goto("/dashboard/plants?q=fern&order=id");
  await page.getByLabel("E-mail").fill(email);
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Plants", exact: true }).waitFor();
  expect(page.url()).toBe(`${opened.service.url}/dashboard/plants?q=fern&order=id`);
  expect(await page.getByLabel("Search by name or id").inputValue()).toBe("fern");
});

test("who is signed in already does not see the sign-in, but where it would lead", async () => {
  const { page } = opened;
  await page.goto("/dashboard/sign-in?back=/dashboard/developer/tokens");
  await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
});

test("each page has its address and title, the bare one leads there, and the back button goes back", async () => {
  const { page } = opened;
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard");
  for (const [link, heading, path] of [
    ["Plants", "Plants", "/plants"],
    ["Developer", "Quick start", "/developer/quick-start"],
    ["Tokens", "Tokens", "/developer/tokens"],
    ["Settings", "Profile", "/settings"],
    ["Security", "Security", "/settings/security"],
  ] as const) {
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: link, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard${path}`);
    expect(await page.title()).toBe(`${heading} · Plantstore`);
  }
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Profile" }).waitFor();
});

test("when the session ends, one signs in over the page, and what was typed is still there", async () => {
  const { page, context } = opened;
  await opened.goto("/developer/tokens?make=token");
  await page.getByRole("dialog").getByLabel("Name").fill("Half typed");
  await context.clearCookies();
  await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  // The address is filled in, so the field that is empty has the focus.
  await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "password");
  await dialog.locator("input[name=password]").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Half typed");
  await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  await page.getByRole("button", { name: "Copy the token" }).waitFor();
});

test("a server that is gone before a page was loaded leaves the frame, and the page opens by itself; so it is with one that was loaded", async () => {
  const service = await startService({ settings: { PORT: String(freePort()) } });
  const lost = await TestPage.signedIn(service);
  const { page } = lost;
  // What is loaded ahead is still on its way when the line breaks.
  const broken = Promise.withResolvers<void>();
  await page.route(/chunk-later-pages/, (route) => broken.promise.then(() => route.abort()));
  const ahead = page.waitForRequest(/chunk-later-pages/);
  await lost.goto("");
  await ahead;
  await service.stop();
  await page.getByRole("navigation").getByRole("link", { name: "Plants", exact: true }).click();
  broken.resolve();
  await page.getByText("The page opens by itself as soon as it does").waitFor();
  await page.getByRole("link", { name: "Settings" }).waitFor();
  await page.unroute(/chunk-later-pages/);
  const again = await service.restart();
  await page.getByText("No plants yet").waitFor();

  await again.stop();
  await page.getByLabel("Search by name or id").fill("fern");
  await page.getByText("Plantstore does not answer").first().waitFor();
  const third = await again.restart();
  await page.getByText("This page tries again every two seconds").waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "No results" }).waitFor();
  await lost.close();
  await third.stop();
});

test("a server that goes away during a draft, a save and a conflict loses no typed text, and its notice goes with the outage", async () => {
  let service = await startService({ settings: { PORT: String(freePort()) } });
  const lost = await TestPage.signedIn(service);
  const { page } = lost;
  const headers = { Origin: service.url };
  const plants = "/dashboard/api/v1/plants";
  await page.request.post(plants, { headers, data: { id: 7, name: "Rose" } });
  await lost.goto("/plants?plant=7");
  const panel = page.getByRole("dialog");
  const name = panel.getByLabel("Name", { exact: true });
  const notice = page.getByText("This page tries again every two seconds");
  const failure = panel.getByText("The plant could not be saved");
  await name.fill("Rosa mine");
  await service.stop();
  await panel.getByRole("button", { name: "Save", exact: true }).click();
  await failure.waitFor();
  // The notice is above the panel, and may be pressed.
  await page.getByRole("button", { name: "Try now" }).click({ trial: true });
  await page.keyboard.press("Escape");
  await page.getByText("Your changes to Rose are kept, and not saved yet.").waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await panel.getByText("You have changes that are not saved").waitFor();
  expect(await name.inputValue()).toBe("Rosa mine");
  await panel.getByRole("button", { name: "Save", exact: true }).click();
  await failure.waitFor();
  service = await service.restart();
  await notice.waitFor({ state: "detached" });
  await failure.waitFor({ state: "detached" });

  await page.request.patch(`${plants}/7`, { headers, data: { name: "Rosa theirs" } });
  await panel.getByRole("button", { name: "Save", exact: true }).click();
  const saveMine = panel.getByRole("button", { name: "Save mine" });
  await saveMine.waitFor();
  await service.stop();
  await saveMine.click();
  await failure.waitFor();
  expect(await name.inputValue()).toBe("Rosa mine");
  service = await service.restart();
  await notice.waitFor({ state: "detached" });
  await panel.getByRole("button", { name: "Save", exact: true }).click();
  await panel.waitFor({ state: "detached" });
  expect((await (await page.request.get(`${plants}/7`)).json()).name).toBe("Rosa mine");
  await lost.close();
  await service.stop();
});
