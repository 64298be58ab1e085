import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { eventually } from "../support/eventually.ts";
import { Keyboard } from "../support/keyboard.ts";
import { pageToken } from "../support/page-token.ts";
import { Store } from "../support/people-states.ts";
import { newAccount, PASSWORD } from "../support/test-browser.ts";
import { totpCode } from "../support/totp.ts";

const opened = await TestPage.open(await dashboardService());
const { page } = opened;
const keyboard = new Keyboard(page);
const email = await newAccount(opened.service);
afterAll(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

test("signing in, making a token and revoking it need no mouse", async () => {
  await opened.goto("/sign-in");
  await keyboard.fill("E-mail", email);
  await keyboard.fill("Password", PASSWORD);
  await keyboard.press("Enter");
  await page.getByText("Add one by hand").waitFor();

  await keyboard.choose("Developer");
  await page.getByRole("heading", { level: 1, name: "Quick start" }).waitFor();
  await keyboard.choose("Tokens");
  await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
  await keyboard.choose("Create token");
  await keyboard.landsOn("Name");
  await keyboard.type("By keyboard");
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy the token" }).waitFor();
  await keyboard.choose("Copy the token");
  await page.getByText("Saved. You can close this.").waitFor();
  await keyboard.press("Escape");

  await keyboard.tabTo("Actions for By keyboard");
  await keyboard.chooseFromMenu("Revoke");
  await page.getByText("This cannot be undone").waitFor();
  await keyboard.choose("Revoke");
  await page.getByText("By keyboard is revoked").waitFor({ state: "attached" });
  await page.getByRole("button", { name: /Show revoked and expired/ }).waitFor();
});

test("adding, changing, removing a plant and undoing it need no mouse", async () => {
  await opened.goto("/plants");
  await keyboard.choose("Add plant");
  await keyboard.landsOn("Name");
  await keyboard.type("Ivy");
  await page.locator("input[name=id][value='1']").waitFor();
  await keyboard.choose("Add plant");
  await page.getByText("Plant 1 was added").waitFor();
  await keyboard.press("Escape");
  await page.getByRole("button", { name: "Ivy", exact: true }).waitFor();

  await keyboard.choose("Ivy");
  await page.getByRole("button", { name: "Save" }).waitFor();
  await keyboard.fill("Tag", "climber");
  await keyboard.choose("Save");
  await page.getByRole("button", { name: "Show plants tagged climber" }).first().waitFor();

  await keyboard.tabTo("Select Ivy");
  await keyboard.press("Space");
  await page.getByText("1 plant selected").waitFor();
  await keyboard.tabTo("Remove", "Shift+Tab");
  await keyboard.press("Enter");
  await page.getByRole("button", { name: /Undo/ }).waitFor();
  await keyboard.landsOn(/^Undo/);
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Ivy", exact: true }).waitFor();
});

test("g p opens Plants, and j and k go from row to row", async () => {
  await opened.goto("/settings");
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.getByRole("heading", { level: 1, name: "Plants" }).waitFor();
  await page.getByRole("button", { name: "Ivy", exact: true }).waitFor();
  await page.keyboard.press("j");
  expect(await keyboard.focused()).toBe("Ivy");
});

test("importing a file needs no mouse", async () => {
  await opened.goto("/plants");
  // Requested early, because the browser takes a moment to announce its file choosers.
  const choosing = page.waitForEvent("filechooser");
  await keyboard.choose("Import");
  await keyboard.landsOn("Choose a file");
  await keyboard.press("Enter");
  const buffer = Buffer.from("id,name,tag\n1,Ivy,climber\n7,Yew,tree\nseven,Elm,\n");
  await (await choosing).setFiles({ name: "plants.csv", mimeType: "text/csv", buffer });
  await page.getByRole("cell", { name: "Yew" }).waitFor();
  await keyboard.choose("Import");
  await page.getByText(/^1 plant added, 1 as before/).waitFor();
  const downloading = page.waitForEvent("download");
  await keyboard.choose("Save these lines");
  const saved = await Bun.file(await (await downloading).path()).text();
  expect(saved.replaceAll("\r", "").replace("\ufeff", "").trim()).toBe("id,name,tag\nseven,Elm,");
  await keyboard.choose("Done");
  await page.getByRole("button", { name: "Yew", exact: true }).waitFor();
});

test("the profile, a second factor and removing the account need no mouse", async () => {
  await opened.goto("/settings");
  await keyboard.fill("Name", " of Kew");
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "of Kew" }).waitFor();

  await keyboard.choose("Security");
  await page.getByRole("heading", { level: 1, name: "Security" }).waitFor();
  const setup = page.waitForResponse((answer) => /two-factor\/enable/.test(answer.url()) && answer.ok());
  await keyboard.choose("Turn on");
  await keyboard.landsOn("Password");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  const { totpURI } = await (await setup).json();
  await keyboard.landsOn("Code that the app shows");
  await keyboard.type(totpCode(totpURI));
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy the backup codes" }).waitFor();
  await keyboard.choose("Copy the backup codes");
  await page.getByText("Saved. You can close this.").waitFor();
  await keyboard.choose("Done");
  await page.getByRole("button", { name: "Turn off" }).waitFor();
  // A dialog keeps the focus until it has closed.
  await page.getByRole("dialog").waitFor({ state: "hidden" });

  await keyboard.choose("Account");
  await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
  await keyboard.choose("Delete this account");
  await keyboard.landsOn(`Type ${email} to confirm`);
  // Nothing is sent before the page says what goes.
  await page.getByText("Removed for good").waitFor();
  await keyboard.type(email);
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in to Plantstore" }).waitFor();
});

test("what holds the focus shows it, and the first Tab of a page offers to skip to its content", async () => {
  await opened.takeSession(await newAccount(opened.service));
  await opened.goto("/settings");
  await keyboard.press("Tab");
  expect(await keyboard.focused()).toBe("Skip to the content");
  await keyboard.tabTo("Settings");
  const outline = () => getComputedStyle(document.activeElement as Element).outlineStyle;
  expect(await page.evaluate(outline)).not.toBe("none");
});

test("a removed plant and an earlier state are restored without a mouse", async () => {
  const as = await pageToken(page, "History");
  const send = (method: string, path: string, body?: string) =>
    opened.service.send(method, `/v1/plants${path}`, { as, body });
  for (const [id, name] of [
    [71, "Boston fern"],
    [72, "Moss"],
  ])
    await send("POST", "", JSON.stringify({ id, name }));
  await send("DELETE", "/71");
  await send("PATCH", "/72", '{"name":"Sphagnum"}');
  await opened.goto("/plants?show=removed");
  await keyboard.choose("Restore Boston fern");
  await eventually("the plant is there again", async () => (await send("GET", "/71")).status === 200);
  await page.getByText("Nothing to restore").waitFor();
  await opened.goto("/plants?plant=72");
  await page.getByText("Go back to this version").waitFor();
  await keyboard.choose("Go back to this version: Moss");
  const name = page.getByRole("dialog").getByLabel("Name");
  await eventually("its name is the one of before", async () => (await name.inputValue()) === "Moss");
});

test("inviting, changing a role, removing, leaving and switching stores need no mouse", async () => {
  const store = await Store.make(opened.service);
  const other = await Store.make(opened.service);
  await store.join("Ivy", "viewer");
  await store.owner.post("/dashboard/api/invitation/accept", {
    token: (await other.invite(store.email, "viewer")).split("token=")[1],
  });
  await opened.takeSession(store.email);
  await opened.goto(`/settings/people?store=${store.id}`);
  await keyboard.choose("Invite");
  await keyboard.landsOn("E-mail");
  await keyboard.type("basil@example.test");
  await keyboard.press("Tab");
  await keyboard.press("ArrowDown");
  await keyboard.choose("Create invitation link");
  await page.getByRole("button", { name: "Copy the link" }).waitFor();
  await keyboard.choose("Copy the link");
  await page.getByText("Saved. You can close this.").waitFor();
  await keyboard.press("Escape");
  await page.getByText("Editor, by a link").waitFor();

  await keyboard.tabTo("Actions for Ivy");
  await keyboard.chooseFromMenu("Change role");
  await keyboard.landsOn("Viewer");
  await keyboard.press("ArrowDown");
  await keyboard.choose("Change role");
  await page.getByText("Ivy is editor now").waitFor({ state: "attached" });
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await keyboard.tabTo("Actions for Ivy");
  await keyboard.chooseFromMenu("Remove");
  await page.getByText(/sees nothing of/).waitFor();
  await keyboard.choose("Remove");
  await page.getByText("Ivy is removed").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Actions for Ivy" }).waitFor({ state: "detached" });

  await keyboard.tabTo(/: change the store$/);
  await keyboard.chooseFromMenu(/Viewer$/);
  await page.waitForURL((url) => url.searchParams.get("store") === other.id);
  await opened.goto(`/settings/people?store=${other.id}`);
  await keyboard.choose("Leave this store");
  await page.getByText("only one of its owners can let you in again").waitFor();
  await keyboard.choose("Leave");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await opened.goto("/settings/people");
  await page.getByRole("button", { name: "Invite" }).waitFor();
});
