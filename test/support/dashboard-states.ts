import type { Page } from "playwright-core";
import type { TestPage } from "./browser.ts";
import { TROUBLES } from "./dashboard-troubles.ts";
import { PASSWORD } from "./test-browser.ts";

/** A page, dialog or state of the dashboard: its address, and the steps from there. */
export interface DashboardState {
  readonly name: string;
  /** Without one the steps lead on from the state before it in its list. */
  readonly path?: string;
  readonly reach?: (page: Page) => Promise<unknown>;
  /** Undoes what `reach` has done to the browser. */
  readonly leave?: (page: Page) => Promise<unknown>;
  /** True for a state of narrow windows only. */
  readonly narrow?: boolean;
  /** The selector of the part that the steps change, if another state shows the rest of the page. */
  readonly part?: string;
}

/** The states in walks that each begin at an address. */
export function walksOf(states: readonly DashboardState[]): DashboardState[][] {
  const walks: DashboardState[][] = [];
  for (const state of states) {
    if (state.path === undefined) walks.at(-1)?.push(state);
    else walks.push([state]);
  }
  return walks;
}

type Step = (page: Page) => Promise<unknown>;

const click =
  (name: string | RegExp): Step =>
  (page) =>
    page.getByRole("button", { name }).first().click();
const choose =
  (name: string | RegExp): Step =>
  (page) =>
    page.getByRole("menuitem", { name }).click();
const seen =
  (text: string | RegExp): Step =>
  (page) =>
    page.getByText(text).first().waitFor();
const opened =
  (name?: string | RegExp): Step =>
  (page) =>
    page.getByRole("dialog", { name }).waitFor();
const optionSeen =
  (name: string): Step =>
  (page) =>
    page.getByRole("option", { name }).waitFor();
const inDialog =
  (name: string): Step =>
  (page) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
const fillIn =
  (label: string, text: string): Step =>
  (page) =>
    page.getByRole("dialog").getByLabel(label).fill(text);
const press =
  (key: string): Step =>
  (page) =>
    page.keyboard.press(key);
const steps =
  (...all: readonly Step[]): Step =>
  async (page) => {
    for (const step of all) await step(page);
  };

/** Closes the dialog that is open above all others. */
const close: Step = async (page) => {
  const dialogs = page.getByRole("dialog");
  const count = await dialogs.count();
  await page.keyboard.press("Escape");
  await dialogs.nth(count - 1).waitFor({ state: "detached" });
};

const password: Step = (page) => page.locator("input[name=password]").fill("surely not this one");
const selectFern: Step = (page) => page.getByLabel("Select Fern 40", { exact: true }).check();

/** As a supplier sends it, in an old encoding, with a title and a row without a number. */
const PRICE_LIST =
  "Preisliste;;\r\n\r\nArtikelnummer;Bezeichnung;Topf\r\n900;Grünlilie;P9\r\n1;Monstera;P12\r\n;Leer;P9\r\n";

const importFile =
  (content: string | Buffer): Step =>
  (page) => {
    const file = { name: "plants.csv", mimeType: "text/csv", buffer: Buffer.from(content) };
    return page.locator("input[type=file]").setInputFiles(file);
  };

async function chooseToken(page: Page): Promise<void> {
  const token = page.getByRole("option", { name: /^Greenhouse import/ }).first();
  await token.waitFor({ state: "attached" });
  await page.getByLabel("Token").selectOption(await token.getAttribute("value"));
  await page.locator(".chart-behind").first().waitFor();
}

const WEBHOOKS = "/developer/webhooks";
const FAILING_ENDPOINT = "http://127.0.0.1:65535/greenhouse";
const SECURITY = "/settings/security";

/** States without a session. */
export const OUTSIDE: readonly DashboardState[] = [
  { name: "sign-in", path: "/sign-in" },
  { name: "sign-in-password-lost", reach: click("Forgot your password, or lost your device?") },
  {
    name: "sign-in-refused",
    path: "/sign-in",
    reach: async (page) => {
      await page.getByLabel("E-mail").fill("nobody@example.test");
      await steps(password, press("Enter"))(page);
      await page.getByRole("alert").waitFor();
    },
  },
  { name: "recovery", path: "/recovery" },
  { name: "recovery-new-password", path: "/recovery?token=used", reach: seen("Set a new password") },
  { name: "verify-email", path: "/verify-email?token=used" },
  { name: "guide", path: "~/docs/guides/tokens" },
  {
    name: "guide-search",
    path: "~/docs/guides/webhooks",
    reach: async (page) => {
      await page.getByRole("searchbox").fill("replay");
      await page.getByRole("link", { name: "Deliver events again" }).waitFor();
    },
  },
  { name: "welcome-closed", path: "/welcome?code=used", reach: seen("There is an account already") },
];

/** States of an account that has received no request yet. */
export const EMPTY: readonly DashboardState[] = [
  { name: "overview-empty", path: "", reach: seen("Add one by hand") },
  { name: "quick-start-empty", path: "/developer", reach: seen("Waiting for your first request") },
  { name: "tokens-empty", path: "/developer/tokens", reach: seen("No tokens yet") },
  { name: "plants-empty", path: "/plants", reach: seen("No plants yet") },
  { name: "webhooks-empty", path: WEBHOOKS, reach: seen("No endpoints yet") },
  { name: "events-empty", path: "/developer/events", reach: seen("No events") },
  { name: "requests-no-match", path: "/developer/requests?plant=404404", reach: seen("No requests match") },
  { name: "profile", path: "/settings" },
  { name: "security", path: SECURITY, reach: seen("This device") },
  { name: "account", path: "/settings/account", reach: seen("Account id") },
  { name: "unknown", path: "/greenhouse" },
];

const LONG_ID = "-9223372036854775808";
const TOKENS = "/developer/tokens";
const USAGE = "/developer/overview";
/** A page with little below its dialogs. */
const NO_PLANTS = "/plants?q=cactus";
/** As after a reload of the page whose plant somebody else has changed. */
const staleDraft: Step = async (page) => {
  await page.evaluate(() => sessionStorage.setItem("draft:plant:2", '{"name":"Fern of mine","@version":"gone"}'));
  await page.reload();
};

/** Of the page itself. */
const refusedRequest: Step = (page) =>
  page.evaluate(async () => {
    await fetch("/dashboard/api/v1/plants/404404");
  });

const TOKEN_ACTIONS = click("Actions for Greenhouse import");

/** States of an account after `fill`. */
export const FILLED: readonly DashboardState[] = [
  { name: "overview-plants", path: "", reach: seen("Without a tag") },
  { name: "activity", path: "/activity", reach: seen("added") },
  { name: "overview", path: USAGE, reach: (page) => page.locator(".chart rect").first().waitFor() },
  { name: "overview-figures", reach: click("Show the figures"), part: "table" },
  { name: "account-menu", reach: steps(click(/@example/), seen("Sign out")), part: "[role=menu]" },
  { name: "palette", reach: steps(press("Escape"), press("Control+k"), optionSeen("Add plant")) },
  { name: "keys", reach: steps(close, press("?"), seen("Show these shortcuts")) },
  { name: "overview-custom", path: `${USAGE}?range=own`, reach: seen("Created") },
  { name: "overview-token", path: USAGE, reach: chooseToken, part: "section[aria-labelledby=usage-title]" },
  { name: "release-notes", path: "/whats-new", reach: seen("The dashboard") },
  { name: "navigation", path: "/developer/tokens", reach: click("Navigation"), narrow: true },
  ...TROUBLES,
  { name: "quick-start", path: "/developer/quick-start", reach: seen("Waiting for your first request") },
  { name: "tokens", path: TOKENS, reach: seen("Greenhouse import") },
  { name: "token-details", reach: steps(click("Greenhouse import"), opened("Greenhouse import")) },
  { name: "token-menu", reach: steps(close, TOKEN_ACTIONS, seen("Show details")), part: "[role=menu]" },
  { name: "token-rename", reach: steps(choose("Rename"), opened(/^Rename/)) },
  { name: "token-roll", reach: steps(close, TOKEN_ACTIONS, choose("Roll"), opened(/^Roll/)) },
  { name: "token-revoke", reach: steps(close, TOKEN_ACTIONS, choose("Revoke"), opened(/^Revoke/)) },
  { name: "tokens-ended", path: `${TOKENS}?ended=shown`, reach: seen("Revoked"), part: "table[aria-label^=Revoked]" },
  { name: "token-create", path: `${TOKENS}?make=token`, reach: seen("The program that will use it") },
  {
    name: "token-secret",
    reach: steps(fillIn("Name", "Shown once"), inDialog("Create token"), seen("it is not shown again")),
  },
  { name: "token-secret-unkept", reach: steps(click("Done"), seen("Close anyway?")) },
  { name: "plants", path: "/plants", reach: seen("Fern 40") },
  {
    name: "plants-selected",
    reach: steps((page) => page.getByLabel("Select all loaded plants").check(), seen("100 plants selected")),
    part: "table, .selection-bar",
  },
  { name: "plants-filtered", path: "/plants?q=rose&tag=outdoor", reach: seen("Rose 2") },
  {
    name: "plants-tag",
    path: "/plants?q=Fern%2040",
    reach: steps(selectFern, click("Set tag"), opened("Tag for 1 plant")),
  },
  { name: "plants-labels", reach: steps(close, click("Labels"), seen("1 label on 1 page")) },
  {
    name: "plants-undo",
    reach: steps(close, click("Remove"), seen("Undo")),
    // Leaving the page earlier would end it.
    leave: steps(click("Undo"), (page) => page.locator(".bars").getByText("1 plant").waitFor({ state: "hidden" })),
    part: ".bars",
  },
  { name: "plants-no-match", path: NO_PLANTS, reach: seen("No results") },
  { name: "plants-export", reach: steps(click("Export"), seen("Matching, as CSV")), part: "[role=menu]" },
  { name: "plants-long", path: "/plants?q=Endless", reach: seen("1 of 131") },
  { name: "plant-long", path: `${NO_PLANTS}&plant=${LONG_ID}`, reach: seen("Changed") },
  { name: "plant", path: `${NO_PLANTS}&plant=3`, reach: seen("Changed") },
  {
    name: "plant-overtaken",
    path: `${NO_PLANTS}&plant=2`,
    reach: steps(staleDraft, seen("Take theirs")),
    leave: click("Take theirs"),
  },
  { name: "plant-page", path: "/plants/3", reach: seen("Changed") },
  { name: "plant-unknown", path: `${NO_PLANTS}&plant=404404`, reach: (page) => page.getByRole("alert").waitFor() },
  { name: "plant-history", path: `${NO_PLANTS}&plant=6`, reach: seen("Go back to this version") },
  { name: "plants-removed", path: "/plants?show=removed", reach: seen("Ficus elastica") },
  {
    name: "plants-removed-selected",
    reach: steps((page) => page.getByLabel("Select Ficus elastica").check(), seen("1 plant selected")),
  },
  { name: "plant-removed", path: "/plants?show=removed&plant=501", reach: seen(/^Removed by/) },
  {
    name: "plant-add-blank",
    path: `${NO_PLANTS}&open=add`,
    reach: steps(fillIn("Id", "77"), inDialog("Add plant"), seen("The name is blank")),
  },
  { name: "import", path: `${NO_PLANTS}&open=import`, reach: seen("Drop an Excel, CSV") },
  { name: "import-refused-file", reach: steps(importFile("id,name\n"), seen("has no plant below")) },
  {
    name: "import-review",
    reach: steps(importFile(Buffer.from(PRICE_LIST, "latin1")), seen(/\d changed/)),
  },
  {
    name: "import-numbered",
    reach: steps(
      click("Choose another file"),
      importFile("Plant\nWillow\nRose 2\n"),
      seen("name that is here already"),
    ),
  },
  {
    name: "import-attention",
    reach: steps(
      click("Choose another file"),
      importFile("sku,name,Category\n900,Willow,outdoor\n0042,Birch,\n,Yew,\n"),
      seen("Drop the zeros"),
    ),
  },
  { name: "import-done", reach: steps(inDialog("Import"), seen(/plants? added, /)) },
  { name: "import-undone", reach: steps(inDialog("Undo this import"), seen("Import undone")) },
  {
    name: "import-left",
    reach: steps(
      (page) => page.evaluate(() => history.pushState(null, "", "/dashboard/settings")),
      (page) => page.getByRole("heading", { level: 1, name: "Profile" }).waitFor(),
      seen("Show result"),
    ),
    leave: click("Close"),
    part: ".bars",
  },
  { name: "imports", path: "", reach: seen("Last imports") },
  { name: "imports-undo", reach: steps(click("Show the undo of"), opened("Undo this import"), seen("Import undone")) },
  {
    name: "requests",
    path: "/developer/requests",
    reach: (page) => page.getByRole("table", { name: "Requests" }).waitFor(),
  },
  {
    name: "requests-held",
    path: "/developer/requests?source=dashboard",
    reach: steps((page) => page.locator(".row-link").first().focus(), refusedRequest, seen(/^Show \d/)),
    part: ".panel",
  },
  {
    name: "request",
    path: "/developer/requests?error=40901",
    reach: steps(click("POST /v1/plants"), seen("Repeat this request")),
  },
  { name: "webhooks", path: WEBHOOKS, reach: seen(FAILING_ENDPOINT) },
  { name: "webhook", reach: steps(click(FAILING_ENDPOINT), opened(FAILING_ENDPOINT), seen(/attempt 1/)) },
  { name: "webhook-edit", reach: steps(inDialog("Edit"), opened("Edit endpoint")) },
  {
    name: "webhook-roll",
    reach: steps(close, inDialog("Roll secret"), seen("Deliveries are signed with both secrets")),
  },
  { name: "webhook-remove", reach: steps(close, inDialog("Remove"), opened("Remove this endpoint?")) },
  { name: "webhook-add", path: `${WEBHOOKS}?add=webhook`, reach: seen("Plantstore sends each delivery") },
  { name: "events", path: "/developer/events", reach: seen("plant.created") },
  { name: "event", reach: steps(click("Monstera deliciosa 44"), seen('"plant.created"')) },
  { name: "proof", path: SECURITY, reach: steps(click("Turn on"), opened("Confirm that it is you")) },
  {
    name: "second-factor",
    reach: async (page) => {
      const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
      await proof.locator("input[name=password]").fill(PASSWORD);
      await proof.getByRole("button", { name: "Confirm" }).click();
      await page.getByRole("img", { name: /QR code/ }).waitFor();
    },
  },
  { name: "security-log", path: "/settings/security-log", reach: seen("Token created") },
  { name: "account-delete", path: "/settings/account", reach: steps(click("Delete this account"), opened()) },
];

/** The reference, which is outside of /dashboard and public. */
export const REFERENCE: readonly DashboardState[] = [
  {
    name: "reference",
    path: "~/docs#removePlant",
    reach: async (page) => {
      await seen("Fine print")(page);
      await page.getByRole("tab", { name: "Go" }).click();
      await page.getByRole("button", { name: /Try it.*Remove a plant/ }).click();
      await page.getByRole("button", { name: "Send DELETE" }).waitFor();
    },
  },
];

/** Fills the account with plants, tokens in each state, and refusals, like a nursery's. */
export async function fill({ page }: TestPage): Promise<void> {
  await page.goto("/dashboard/unknown");
  await page.evaluate(
    async ([failing, longId]) => {
      const post = async (path: string, body: unknown) => {
        const answer = await fetch(path, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        });
        return answer.json();
      };
      const token = (name: string, days: number | null) =>
        post("/dashboard/api/tokens", {
          name,
          scopes: ["plants:read", "plants:write"],
          expires_at: days === null ? null : new Date(Date.now() + days * 86_400_000).toISOString(),
        });
      const { secret } = await token("Greenhouse import", 12);
      await token("Web shop", null);
      const lost = await token("Lost laptop", 90);
      const long = await token("Unbreakable".repeat(5).slice(0, 50), 90);
      await post(`/dashboard/api/tokens/${long.token.id}/revoke`, {});
      await post(`/dashboard/api/tokens/${lost.token.id}/revoke`, {});
      const lines = Array.from({ length: 130 }, (_, index) => {
        const [name, tag] = [
          ["Monstera deliciosa", "indoor"],
          ["Fern", "indoor"],
          ["Rose", "outdoor"],
        ][index % 3] as [string, string];
        return JSON.stringify({ id: index + 1, name: `${name} ${Math.floor(index / 3) + 1}`, tag });
      });
      const send = (type: string, body: string) =>
        fetch("/v1/plants", {
          method: "POST",
          headers: { Authorization: `Bearer ${secret}`, "Content-Type": type },
          body,
        });
      const webhooks = (method: string, path: string, body: unknown) =>
        fetch(`/dashboard/api/v1/webhooks${path}`, {
          method,
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        }).then((answer) => answer.json());
      await webhooks("POST", "", { url: failing, description: "Greenhouse screens" });
      const disabled = await webhooks("POST", "", { url: "http://127.0.0.1:65535/shop" });
      await webhooks("PATCH", `/${disabled.id}`, { enabled: false });
      await send(
        "application/json",
        `{"id":${longId},"name":"${"Endless ".repeat(75)}","tag":"${"endless".repeat(20)}"}`,
      );
      await send("application/x-ndjson", `${lines.join("\n")}\n{"id":3,"name":"Fern 3","tag":"indoor"}`);
      // A plant with a history, and two that were removed: by the person, and by a program.
      const act = (by: "page" | "program", method: string, id: number, change?: object) =>
        fetch(`${by === "page" ? "/dashboard/api" : ""}/v1/plants/${id}`, {
          method,
          headers: {
            "Content-Type": "application/json",
            ...(by === "page" ? {} : { Authorization: `Bearer ${secret}` }),
          },
          body: change && JSON.stringify(change),
        });
      await act("page", "PATCH", 6, { name: "Rosa gallica" });
      await act("program", "PATCH", 6, { tag: null });
      await act("page", "PATCH", 6, { name: "Rose 2", tag: "outdoor" });
      await send("application/json", '{"id":501,"name":"Calathea orbifolia","tag":"indoor"}');
      await send("application/json", '{"id":502,"name":"Ficus elastica"}');
      await act("page", "DELETE", 501);
      await act("program", "DELETE", 502);
      for (let index = 0; index < 20; index++) await send("application/json", '{"id":1,"name":"Another"}');
    },
    [FAILING_ENDPOINT, LONG_ID],
  );
}
