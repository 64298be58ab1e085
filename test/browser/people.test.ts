import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { Store } from "../support/people-states.ts";
import { PASSWORD } from "../support/test-browser.ts";

const service = await dashboardService();
const store = await Store.make(service);
const owner = await store.page();
const guest = await TestPage.open(service);
afterAll(async () => {
  for (const opened of [owner, guest]) await opened.close();
});

test("an owner invites by a link, somebody new takes it in another browser, sees what an editor sees, and is led out when removed", async () => {
  const { page } = owner;
  await owner.goto("/settings/people");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("E-mail").fill("hazel-joins@example.test");
  await page.getByRole("radio", { name: /Editor/ }).check();
  await page.getByRole("button", { name: "Create invitation link" }).click();
  const link = new URL(await owner.keepSecret("link"));

  const { page: theirs } = guest;
  await theirs.goto(link.pathname + link.search);
  await theirs.getByText("as an editor").waitFor();
  expect(new URL(theirs.url()).search).toBe("");
  await theirs.getByLabel("Your name").fill("Hazel");
  await theirs.locator("input[name=password]").fill(PASSWORD);
  await theirs.getByRole("button", { name: "Create account and join" }).click();
  await theirs.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

  await guest.goto("/plants");
  const navigation = theirs.getByRole("navigation", { name: "Pages" });
  await navigation.getByRole("link", { name: "Activity" }).click();
  await theirs.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
  expect(await navigation.getByRole("link", { name: "Developer" }).count()).toBe(0);
  await guest.goto("/developer/tokens");
  await theirs.getByText("It takes the role developer or owner").waitFor();
  await guest.goto("/plants?open=add");
  await theirs.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Willow");
  await theirs.locator("input[name=id][value='1']").waitFor();
  await theirs.getByRole("dialog").getByRole("button", { name: "Add plant" }).click();
  await theirs
    .getByText(/was added/)
    .first()
    .waitFor();

  await page.getByRole("button", { name: "Actions for Hazel" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Actions for Hazel" }).waitFor({ state: "detached" });
  await theirs.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Birch");
  await theirs.getByRole("dialog").getByRole("button", { name: "Add plant" }).click();
  await theirs.getByRole("heading", { name: /^You no longer belong to/ }).waitFor();
  await theirs.getByRole("button", { name: "Continue" }).click();
  await theirs.getByRole("heading", { name: "You belong to no store" }).waitFor();
  expect([...owner.complaints, ...guest.complaints]).toEqual([]);
}, 120_000);

test("two windows show two stores: a switch in one changes neither what the other shows nor where it writes", async () => {
  const { page } = owner;
  await owner.goto("/settings/store");
  await page.getByRole("button", { name: "New store" }).click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Sandbox");
  await page.getByLabel("A test store").check();
  await page.getByRole("button", { name: "Create store" }).click();
  await page.getByText("Test", { exact: true }).first().waitFor();
  expect(new URL(page.url()).searchParams.get("store")).not.toBe(store.id);

  const other = await owner.another();
  await other.goto(`/plants?store=${store.id}`);
  await page.getByRole("link", { name: "Plants" }).click();
  await page.getByRole("button", { name: "Add plant" }).first().click();
  for (const [window, name] of [
    [page, "Of the sandbox"],
    [other.page, "Of the shop"],
  ] as const) {
    if (window === other.page) await window.getByRole("button", { name: "Add plant" }).first().click();
    await window.getByRole("dialog").getByLabel("Name", { exact: true }).fill(name);
    await window.getByRole("dialog").getByRole("button", { name: "Add plant" }).click();
    await window
      .getByText(/was added/)
      .first()
      .waitFor();
  }
  await other.page.reload();
  await other.page.getByText("Of the shop").first().waitFor();
  expect(await other.page.getByText("Of the sandbox").count()).toBe(0);
  await other.page.close();
}, 120_000);

test("a link into one of several stores leads there after the sign-in, in another browser and where a session has ended", async () => {
  const { page } = owner;
  const sandbox = new URL(page.url()).searchParams.get("store");
  expect(sandbox).not.toBe(store.id);
  const link = `${service.url}/dashboard/plants?store=${sandbox}`;
  for (const { page: window, context } of [guest, owner]) {
    await context.clearCookies();
    await window.goto(link);
    // Whatever this browser showed last.
    await window.evaluate((id) => localStorage.setItem("plantstore-store", id), store.id);
    await window.getByLabel("E-mail").fill(store.email);
    await window.locator("input[name=password]").fill(PASSWORD);
    await window.getByRole("button", { name: "Sign in", exact: true }).click();
    await window.getByText("Of the sandbox").first().waitFor();
    expect(window.url()).toBe(link);
  }

  await owner.context.clearCookies();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Overview" }).click();
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.locator("input[name=password]").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Plants" }).click();
  await page.getByText("Of the sandbox").first().waitFor();
  expect(new URL(page.url()).searchParams.get("store")).toBe(sandbox);
}, 120_000);
