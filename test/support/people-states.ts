import type { Page } from "playwright-core";
import type { NewInvitation } from "#contract/dashboard/people.ts";
import type { Role } from "#contract/dashboard/role.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { TestPage } from "./browser.ts";
import type { DashboardState } from "./dashboard-states.ts";
import type { TestService } from "./service.ts";
import { newAccount, PASSWORD, TestBrowser } from "./test-browser.ts";
import { earlierTotpCode } from "./totp.ts";

const seen = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();
const click = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();
const steps =
  (...all: readonly ((page: Page) => Promise<unknown>)[]) =>
  async (page: Page) => {
    for (const step of all) await step(page);
  };

const PEOPLE = "/settings/people";
const ACCOUNT = "/settings/account";
const STORE = "/settings/store";

/** An owner's browser, by which others are invited. */
export class Store {
  private constructor(
    readonly service: TestService,
    readonly owner: TestBrowser,
    readonly email: string,
    readonly id: string,
  ) {}

  static async make(service: TestService): Promise<Store> {
    const email = await newAccount(service);
    const owner = new TestBrowser(service);
    await owner.signIn(email, PASSWORD);
    await owner.post("/dashboard/api/proof", { password: PASSWORD });
    const session: SessionView = await (await owner.get("/dashboard/api/session")).json();
    return new Store(service, owner, email, session.store?.id ?? "");
  }

  /** The path of the link. */
  async invite(email: string, role: Role): Promise<string> {
    const answer = await this.owner.post("/dashboard/api/people/invitations", { email, role, link: true });
    if (answer.status !== 200) throw new Error(`Nobody was invited: ${answer.status} ${await answer.text()}`);
    const { link }: NewInvitation = await answer.json();
    const { pathname, search } = new URL(link ?? "");
    return pathname + search;
  }

  /** Somebody new with that role, who is in no other store. */
  async join(name: string, role: Role): Promise<{ readonly email: string; readonly browser: TestBrowser }> {
    const email = `${name.toLowerCase()}-${this.id.slice(-8)}@example.test`;
    const token = (await this.invite(email, role)).split("token=")[1];
    const browser = new TestBrowser(this.service);
    const answer = await browser.post("/dashboard/api/invitation/accept", { token, name, password: PASSWORD });
    if (answer.status !== 200) throw new Error(`${name} did not join: ${answer.status} ${await answer.text()}`);
    return { email, browser };
  }

  async page(email = this.email): Promise<TestPage> {
    const opened = await TestPage.open(this.service);
    await opened.takeSession(email);
    return opened;
  }
}

/** Somebody of a store whose owner asks for a second factor, which they lack. */
async function withoutFactor(service: TestService): Promise<PeopleStates> {
  const store = await Store.make(service);
  const { email } = await store.join("Reed", "viewer");
  const { totpURI } = await (await store.owner.post("/auth/two-factor/enable", { password: PASSWORD })).json();
  await store.owner.post("/auth/two-factor/verify-totp", { code: await earlierTotpCode(totpURI) });
  await store.owner.send("PATCH", "/dashboard/api/store", { second_factor_required: true });
  return {
    opened: await store.page(email),
    states: [{ name: "factor-missing", path: "/plants", reach: seen("This store asks for a second factor") }],
  };
}

interface PeopleStates {
  readonly opened: TestPage;
  readonly states: readonly DashboardState[];
}

/** The pages of an owner of two stores, a viewer, somebody in no store, and an invited person. */
export async function peopleStates(service: TestService): Promise<PeopleStates[]> {
  const store = await Store.make(service);
  const ivy = await store.join("Ivy", "developer");
  await ivy.browser.makeToken({ name: "Till" });
  const fern = await store.join("Fern", "viewer");
  const gone = await store.join("Moss", "editor");
  await gone.browser.post("/dashboard/api/people/leave");
  const known = await newAccount(service);
  const [toNew, toKnown, toOther] = [
    await store.invite("hazel@example.test", "editor"),
    await store.invite(known, "viewer"),
    await store.invite("unbreakable".repeat(5).concat("@example.test"), "owner"),
  ];
  const { id: test } = await (await store.owner.post("/dashboard/api/stores", { name: "Sandbox", test: true })).json();
  return [
    await withoutFactor(service),
    { opened: await store.page(), states: ownerStates(store.id, test) },
    { opened: await store.page(fern.email), states: VIEWER },
    {
      opened: await store.page(gone.email),
      states: [{ name: "no-store", path: "", reach: seen("You belong to no store") }],
    },
    {
      opened: await TestPage.open(service),
      states: [
        { name: "invitation-new", path: `~${toNew}`, reach: seen("Your name") },
        { name: "invitation-known", path: `~${toKnown}`, reach: seen("Sign in with this address") },
        {
          name: "invitation-over",
          path: "/invitation?token=used",
          reach: seen("This invitation link no longer works"),
        },
      ],
    },
    {
      opened: await store.page(fern.email),
      states: [
        {
          name: "invitation-other",
          path: "",
          reach: async (page) => {
            await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
            await page.goto(toOther);
            await seen("Sign out to join as")(page);
          },
        },
        { name: "store-unknown", path: `~/dashboard?store=${known}`, reach: seen("You do not belong to this store") },
      ],
    },
  ];
}

function ownerStates(own: string, test: string): DashboardState[] {
  const inOwn = (path: string) => `${path}${path.includes("?") ? "&" : "?"}store=${own}`;
  return [
    { name: "people", path: inOwn(PEOPLE), reach: seen("Ivy") },
    { name: "people-menu", reach: steps(click("Actions for Ivy"), seen("Change role")), part: "[role=menu]" },
    {
      name: "person-role",
      reach: (page) => page.getByRole("menuitem", { name: "Change role" }).click(),
    },
    {
      name: "person-remove",
      path: inOwn(PEOPLE),
      reach: steps(
        click("Actions for Ivy"),
        (page) => page.getByRole("menuitem", { name: "Remove" }).click(),
        seen(/^Revoke 1 token/),
      ),
    },
    {
      name: "people-only-owner",
      path: inOwn(`${PEOPLE}?do=leave`),
      reach: (page) => page.getByRole("dialog").getByText("You are the only owner").waitFor(),
    },
    { name: "invite", path: inOwn(`${PEOPLE}?do=invite`), reach: seen("They must sign in with this address") },
    {
      name: "invite-link",
      reach: steps(
        (page) => page.getByLabel("E-mail").fill("basil@example.test"),
        click("Create invitation link"),
        (page) => page.getByRole("img", { name: /QR code/ }).waitFor(),
      ),
    },
    { name: "store-settings", path: inOwn(STORE), reach: seen("Further stores") },
    { name: "store-remove", reach: steps(click("Remove this store"), seen("active token")) },
    { name: "store-new", path: inOwn(STORE), reach: steps(click("New store"), seen("A test store")) },
    {
      name: "account-removal",
      path: inOwn(ACCOUNT),
      reach: steps(click("Delete this account"), seen("Needs another owner")),
    },
    {
      name: "stores-menu",
      path: inOwn(PEOPLE),
      reach: steps(click(/: change the store$/), seen("Test, owner")),
      part: "[role=menu]",
    },
    { name: "test-store", path: `/plants?store=${test}`, reach: seen("No plants yet") },
    {
      name: "store-empty",
      path: `${STORE}?store=${test}`,
      reach: steps(click("Empty this store"), seen("Every plant")),
    },
  ];
}

const VIEWER: readonly DashboardState[] = [
  { name: "overview-viewer", path: "", reach: seen("Without a tag") },
  { name: "plants-viewer", path: "/plants", reach: seen("No plants yet") },
  { name: "role-refused", path: "/developer/tokens", reach: seen("It takes the role developer or owner") },
  { name: "people-viewer", path: PEOPLE, reach: seen("Ivy") },
];
