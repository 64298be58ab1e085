import type { Page } from "playwright-core";
import type { TestPage } from "./browser.ts";
import { TROUBLES } from "./dashboard-troubles.ts";
import { PASSWORD } from "./test-browser.ts";

/** A page, dialog or state of the dashboard: its address, and the steps from there. */
export interface DashboardState {
  readonly name: string;
  readonly path: string;
  readonly reach?: (page: Page) => Promise<unknown>;
  /** Undoes what `reach` has done to the browser. */
  readonly leave?: (page: Page) => Promise<unknown>;
  /** True for a state of narrow windows only. */
  readonly narrow?: boolean;
  /** The selector of the part that the steps change, if another state shows the rest of the page. */
  readonly part?: string;
}

const button = (name: string) => (page: Page) => page.getByRole("button", { name }).first().click();
const seen = (text: string) => (page: Page) => page.getByText(text).first().waitFor();

async function wrongSignIn(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill("nobody@example.test");
  await page.locator("input[name=password]").fill("surely not this one");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").waitFor();
}

async function makeToken(page: Page): Promise<void> {
  await page.getByRole("dialog").getByLabel("Name").fill("Shown once");
  await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  await page.getByRole("button", { name: "Copy the token" }).waitFor();
}

async function selectAndRemove(page: Page): Promise<void> {
  await page.getByLabel("Select Fern 40", { exact: true }).check();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: /Undo/ }).waitFor();
}

async function importFile(page: Page, text: string): Promise<void> {
  const file = { name: "plants.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
  await page.locator("input[type=file]").setInputFiles(file);
}

const WEBHOOKS = "/developer/webhooks";
const FAILING_ENDPOINT = "http://127.0.0.1:65535/greenhouse";

async function openEndpoint(page: Page): Promise<void> {
  await page.getByRole("button", { name: FAILING_ENDPOINT }).click();
  await page
    .getByRole("dialog")
    .getByText(/attempt 1/)
    .first()
    .waitFor();
}

async function beginSecondFactor(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Turn on" }).click();
  const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
  await proof.locator("input[name=password]").fill(PASSWORD);
  await proof.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("img", { name: /QR code/ }).waitFor();
}

/** States without a session. */
export const OUTSIDE: readonly DashboardState[] = [
  { name: "sign-in", path: "/sign-in" },
  { name: "sign-in-refused", path: "/sign-in", reach: wrongSignIn },
  { name: "sign-in-password-lost", path: "/sign-in", reach: button("Forgot your password, or lost your device?") },
  { name: "recovery", path: "/recovery", reach: (page) => page.getByRole("heading", { level: 1 }).waitFor() },
  { name: "recovery-new-password", path: "/recovery?token=used", reach: seen("Set a new password") },
  { name: "verify-email", path: "/verify-email?token=used", reach: (page) => page.getByRole("main").waitFor() },
  { name: "welcome-closed", path: "/welcome?code=used", reach: seen("There is an account already") },
];

/** States of an account that has received no request yet. */
export const EMPTY: readonly DashboardState[] = [
  { name: "overview-empty", path: "", reach: seen("Waiting for your first request") },
  { name: "quick-start-empty", path: "/developer", reach: seen("Waiting for your first request") },
  { name: "tokens-empty", path: "/developer/tokens", reach: seen("No tokens yet") },
  { name: "plants-empty", path: "/plants", reach: seen("No plants yet") },
  { name: "webhooks-empty", path: WEBHOOKS, reach: seen("No endpoints yet") },
  { name: "events-empty", path: "/developer/events", reach: seen("No events") },
  { name: "requests-no-match", path: "/developer/requests?plant=404404", reach: seen("No requests match") },
  { name: "profile", path: "/settings" },
  { name: "security", path: "/settings/security", reach: seen("This device") },
  { name: "account", path: "/settings/account", reach: seen("Account id") },
  { name: "unknown", path: "/greenhouse" },
];

const LONG_ID = "-9223372036854775808";
const TOKENS = "/developer/tokens";
const CREATE = `${TOKENS}?make=token`;

/** States of an account after `fill`. */
export const FILLED: readonly DashboardState[] = [
  { name: "overview", path: "", reach: (page) => page.locator(".chart rect").first().waitFor() },
  { name: "overview-figures", path: "", reach: button("Show the figures") },
  { name: "overview-custom", path: "?range=own", reach: seen("Created") },
  {
    name: "overview-token",
    path: "",
    reach: async (page) => {
      await page
        .getByRole("option", { name: /^Greenhouse import/ })
        .first()
        .waitFor({ state: "attached" });
      const token = page.getByRole("option", { name: /^Greenhouse import/ }).first();
      await page.getByLabel("Token").selectOption(await token.getAttribute("value"));
      await page.locator(".chart-behind").first().waitFor();
    },
  },
  { name: "release-notes", path: "/whats-new", reach: seen("Since the last release") },
  { name: "account-menu", path: "", reach: (page) => page.getByRole("button", { name: /@example/ }).click() },
  {
    name: "navigation",
    path: "/developer/tokens",
    reach: (page) => page.getByRole("button", { name: "Navigation" }).click(),
    narrow: true,
  },
  ...TROUBLES,
  { name: "quick-start", path: "/developer/quick-start", reach: seen("Waiting for your first request") },
  { name: "tokens", path: TOKENS, reach: seen("Greenhouse import") },
  { name: "tokens-ended", path: `${TOKENS}?ended=shown`, reach: seen("Revoked") },
  { name: "token-menu", path: TOKENS, reach: button("Actions for Greenhouse import") },
  { name: "token-create", path: CREATE, reach: seen("The program that will use it") },
  { name: "token-secret", path: CREATE, reach: makeToken },
  {
    name: "token-secret-unkept",
    path: CREATE,
    reach: async (page) => {
      await makeToken(page);
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByText("Close anyway?").waitFor();
    },
  },
  { name: "token-details", path: TOKENS, reach: button("Greenhouse import") },
  ...["rename", "roll", "revoke"].map((action) => ({
    name: `token-${action}`,
    path: TOKENS,
    reach: async (page: Page) => {
      await button("Actions for Greenhouse import")(page);
      await page.getByRole("menuitem", { name: new RegExp(action, "i") }).click();
      await page.getByRole("dialog").waitFor();
    },
  })),
  { name: "plants", path: "/plants", reach: seen("Fern 40") },
  { name: "plants-filtered", path: "/plants?q=rose&tag=outdoor", reach: seen("Rose 2") },
  { name: "plants-no-match", path: "/plants?q=cactus", reach: seen("No results") },
  {
    name: "plants-selected",
    path: "/plants",
    reach: async (page) => {
      await page.getByLabel("Select all loaded plants").check();
      await page.getByText("100 plants selected").waitFor();
    },
  },
  {
    name: "plants-tag",
    path: "/plants",
    reach: async (page) => {
      await page.getByLabel("Select Fern 40", { exact: true }).check();
      await page.getByRole("button", { name: "Set tag" }).click();
      await page.getByRole("dialog", { name: "Tag of 1 plant" }).waitFor();
    },
  },
  { name: "plants-long", path: "/plants?q=Endless", reach: seen("1 of 131") },
  { name: "plant-long", path: `/plants?plant=${LONG_ID}`, reach: seen("Changed") },
  { name: "plants-export", path: "/plants?tag=outdoor", reach: button("Export") },
  { name: "plants-undo", path: "/plants", reach: selectAndRemove },
  { name: "plant", path: "/plants?plant=3", reach: seen("Changed") },
  { name: "plant-unknown", path: "/plants?plant=404404", reach: (page) => page.getByRole("alert").waitFor() },
  {
    name: "plant-add-blank",
    path: "/plants?open=add",
    reach: async (page) => {
      await page.getByRole("dialog").getByLabel("Id").fill("77");
      await page.getByRole("dialog").getByRole("button", { name: "Add plant", exact: true }).click();
      await page.getByText("The name is blank").waitFor();
    },
  },
  { name: "import", path: "/plants?open=import", reach: seen("Drop a CSV") },
  {
    name: "import-semicolons",
    path: "/plants?open=import",
    reach: async (page) => {
      await importFile(page, "id;name;tag\n900;Willow;outdoor\n");
      await page.getByText("Read it as").waitFor();
    },
  },
  {
    name: "import-columns",
    path: "/plants?open=import",
    reach: async (page) => {
      await importFile(page, "Shelf,Plant name,Category\n7,Willow,outdoor\n8,Birch,\n");
      await page.getByText("The plants get the ids from").waitFor();
    },
  },
  {
    name: "import-ready",
    path: "/plants?open=import",
    reach: async (page) => {
      await importFile(page, "id,name,tag\n900,Willow,outdoor\nx,Birch,\n");
      await page.getByText("First rows").waitFor();
    },
  },
  {
    name: "import-refused",
    path: "/plants?open=import",
    reach: async (page) => {
      await importFile(page, "id,name,tag\n900,Willow,outdoor\nx,Birch,\n");
      await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("1 refused").waitFor();
    },
  },
  {
    name: "requests",
    path: "/developer/requests",
    reach: (page) => page.getByRole("table", { name: "Requests" }).waitFor(),
  },
  {
    name: "request",
    path: "/developer/requests?error=40901",
    reach: async (page) => {
      await page.getByRole("button", { name: "POST /v1/plants" }).first().click();
      await page.getByText("Repeat this request").waitFor();
    },
  },
  { name: "webhooks", path: WEBHOOKS, reach: seen(FAILING_ENDPOINT) },
  { name: "webhook-add", path: `${WEBHOOKS}?add=webhook`, reach: seen("Plantstore sends each delivery") },
  { name: "webhook", path: WEBHOOKS, reach: openEndpoint },
  {
    name: "webhook-edit",
    path: WEBHOOKS,
    reach: async (page) => {
      await openEndpoint(page);
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("dialog", { name: "Edit endpoint" }).waitFor();
    },
  },
  {
    name: "webhook-roll",
    path: WEBHOOKS,
    reach: async (page) => {
      await openEndpoint(page);
      await page.getByRole("button", { name: "Roll secret" }).click();
      await page.getByText("Deliveries are signed with both secrets").waitFor();
    },
  },
  {
    name: "webhook-remove",
    path: WEBHOOKS,
    reach: async (page) => {
      await openEndpoint(page);
      await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByRole("dialog", { name: "Remove this endpoint?" }).waitFor();
    },
  },
  { name: "events", path: "/developer/events", reach: seen("plant.created") },
  {
    name: "event",
    path: "/developer/events",
    reach: async (page) => {
      await button("Monstera deliciosa 44")(page);
      await page.getByRole("dialog").getByText('"plant.created"').waitFor();
    },
  },
  {
    name: "palette",
    path: "",
    reach: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name: "Add plant" }).waitFor();
    },
  },
  {
    name: "keys",
    path: "",
    reach: async (page) => {
      await page.keyboard.press("?");
      await page.getByText("Show these shortcuts").waitFor();
    },
  },
  {
    name: "proof",
    path: "/settings/security",
    reach: async (page) => {
      await button("Turn on")(page);
      await page.getByText("Confirm that it is you").waitFor();
    },
  },
  { name: "second-factor", path: "/settings/security", reach: beginSecondFactor },
  { name: "security-log", path: "/settings/security-log", reach: seen("Token created") },
  { name: "account-delete", path: "/settings/account", reach: button("Delete this account") },
];

/** The reference, which is outside of /dashboard and public. */
export const REFERENCE: readonly DashboardState[] = [
  { name: "reference", path: "~/docs", reach: seen("Create a plant") },
  {
    name: "reference-try",
    path: "~/docs",
    part: ".operation:has(form)",
    reach: async (page) => {
      await page.getByRole("button", { name: /Try it.*Remove a plant/ }).click();
      await page.getByRole("button", { name: "Send DELETE" }).waitFor();
    },
  },
  {
    name: "reference-webhooks",
    path: "~/docs#tag-webhook-requests",
    part: "section:has(> div > #tag-webhook-requests)",
    reach: (page) => page.getByRole("tab", { name: "Go" }).click(),
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
      const { token: page } = await post("/dashboard/api/access-token", {});
      const webhooks = (method: string, path: string, body: unknown) =>
        fetch(`/v1/webhooks${path}`, {
          method,
          headers: { Authorization: `Bearer ${page}`, "Content-Type": "application/json" },
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
      for (let index = 0; index < 20; index++) await send("application/json", '{"id":1,"name":"Another"}');
    },
    [FAILING_ENDPOINT, LONG_ID],
  );
}
