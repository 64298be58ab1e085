import { beforeEach, describe, expect, test } from "bun:test";
import type { AccountRemoval } from "#contract/dashboard/account.ts";
import type { AuditPage } from "#contract/dashboard/audit.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import type { Role } from "#core/role.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { openApp } from "#test/support/open-app.ts";
import { newPlants } from "#test/support/plant-lists.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { Holder } from "#test/support/test-account.ts";
import { PASSWORD, type TestBrowser } from "#test/support/test-browser.ts";

const API = "/dashboard/api";
let app: OpenApp;
let owner: Holder;
let browser: TestBrowser;

withAppPerFile((opened) => {
  app = opened;
  return Promise.resolve();
});
beforeEach(async () => {
  owner = await app.account();
  browser = await app.browser(owner);
});

const inStore = ({ storeId }: Holder) => ({ "Plantstore-Account": storeId });
const view = async (by = browser): Promise<SessionView> => (await by.get(`${API}/session`)).json();

/** Somebody with a store of their own, who belongs to the owner's too. */
async function joined(role: Role) {
  const person = await app.account();
  const row = { store: owner.account, person: person.id, role, source: "hand", joined_at: Date.now() + 1 } as const;
  await app.storage.db.insertInto("members").values(row).execute();
  return { person, browser: await app.browser(person) };
}

test("a person's stores are in the order of joining", async () => {
  const { person, browser: other } = await joined("viewer");
  expect((await view(other)).stores.map(({ id }) => id)).toEqual([person.storeId, owner.storeId]);
});

describe("a store", () => {
  test("is made by who owns one, whichever is shown, and by nobody else where sign-up is not open", async () => {
    const { person, browser: other } = await joined("viewer");
    const make = (headers: Record<string, string> = {}) =>
      other.send("POST", `${API}/stores`, { name: "Trials", test: true }, headers);
    const made = await make(inStore(owner));
    expect(made.status).toBe(200);
    const { id } = await made.json();
    expect((await view(other)).stores).toContainEqual({ id, name: "Trials", role: "owner", test: true });
    await app.storage.db.deleteFrom("members").where("person", "=", person.id).where("role", "=", "owner").execute();
    await expectRefused(await make(), 40356);
    await app.storage.db.deleteFrom("members").where("person", "=", person.id).execute();
    await expectRefused(await make(), 40450);
  });

  test("is made by who belongs to none where anybody may sign up; a sign-up names the person and the store", async () => {
    const open = await openApp({ SIGNUP: "open" });
    const newcomer = open.stranger();
    const form = { email: "ada@example.test", password: PASSWORD, name: "Ada", store_name: "Greenleaf" };
    const signedUp: SessionView = await (await newcomer.post(`${API}/welcome`, form)).json();
    expect([signedUp.account.name, signedUp.stores]).toMatchObject(["Ada", [{ name: "Greenleaf", role: "owner" }]]);
    const remove = { name: "Greenleaf", password: PASSWORD };
    expect((await newcomer.post(`${API}/store/delete`, remove)).status).toBe(204);
    expect(await view(newcomer)).toMatchObject({ store: null, stores: [] });
    expect((await newcomer.post(`${API}/stores`, { name: "Second" })).status).toBe(200);
    expect((await view(newcomer)).stores).toMatchObject([{ name: "Second", role: "owner", test: false }]);
    await open.close();
  });

  test("is left without the second factor for which it asks", async () => {
    const { browser: other } = await joined("editor");
    const rule = { second_factor_required: true };
    await app.storage.db.updateTable("stores").set(rule).where("number", "=", owner.account).execute();
    await expectRefused(await other.send("GET", `${API}/people`, undefined, inStore(owner)), 40358);
    expect((await other.send("POST", `${API}/people/leave`, {}, inStore(owner))).status).toBe(204);
    expect((await view(other)).stores).toHaveLength(1);
  });

  test("keeps its owners by a proof: none is removed or made less without one", async () => {
    const { person } = await joined("owner");
    await app.storage.db.updateTable("sessions").set({ proved_at: 1 }).where("person", "=", owner.id).execute();
    const path = `${API}/people/${person.id}`;
    await expectRefused(await browser.post(`${path}/remove`), 40354);
    await expectRefused(await browser.send("PATCH", path, { role: "viewer" }), 40354);
    await expectRefused(await browser.post(`${path}/remove`, { password: "wrong" }), 40351);
    expect((await browser.send("PATCH", path, { role: "editor", password: PASSWORD })).status).toBe(204);
    expect((await browser.post(`${path}/remove`)).status).toBe(204);
  });
});

describe("an account", () => {
  const removal = async (by = browser): Promise<AccountRemoval> => (await by.get(`${API}/account/removal`)).json();
  const remove = (stores: readonly string[], by = browser, { email } = owner) =>
    by.post(`${API}/account/delete`, { email, password: PASSWORD, stores });

  test("is removed with the stores that its person saw go, and with none that stays or has changed", async () => {
    const { person, browser: other } = await joined("owner");
    await app.storage.records.plants.createMany(person.account, newPlants(2));
    const [own, shared] = [person.storeId, owner.storeId];
    const fates = (await removal(other)).stores.map(({ id, plants, people, fate }) => [id, [plants, people, fate]]);
    expect(Object.fromEntries(fates)).toEqual({ [own]: [2, 1, "deleted"], [shared]: [0, 2, "kept"] });
    for (const shown of [[], [own, shared], ["another"]]) {
      await expectRefused(await remove(shown, other, person), 40954);
    }
    expect((await browser.post(`${API}/people/leave`)).status).toBe(204);
    await expectRefused(await remove([own], other, person), 40954);
    expect((await removal(other)).stores.map(({ fate }) => fate)).toEqual(["deleted", "deleted"]);
    expect((await remove([own, shared], other, person)).status).toBe(204);
    expect((await other.get(`${API}/session`)).status).toBe(401);
    for (const id of [own, shared]) expect(await app.storage.records.stores.find({ id })).toBeUndefined();
  });

  test("is not removed where others would be left without an owner", async () => {
    await joined("developer");
    expect((await removal()).stores).toMatchObject([{ id: owner.storeId, fate: "blocking", people: 2 }]);
    await expectRefused(await remove([]), 40952, owner.name);
    expect((await view()).stores).toHaveLength(1);
  });

  test("has a log of its own, which no owner of its stores reads; a store's log is for its owners alone", async () => {
    const { person, browser: other } = await joined("owner");
    const email = `moved-${owner.email}`;
    expect((await browser.send("PATCH", `${API}/account`, { email, password: PASSWORD })).status).toBe(200);
    const log = async (by: TestBrowser, path: string): Promise<AuditPage["data"]> =>
      (await (await by.send("GET", `${API}${path}`, undefined, inStore(owner))).json()).data;
    const own = await log(browser, "/account/audit");
    expect(own.map(({ action }) => action)).toEqual(["settings.changed", "sign_in.succeeded", "account.created"]);
    expect(own[0]).toMatchObject({ detail: { email }, address: expect.any(String) });
    expect((await log(other, "/audit")).map(({ action }) => action)).toEqual(["store.created"]);
    expect((await log(other, "/account/audit")).map(({ action }) => action)).not.toContain("settings.changed");
    const demoted = { role: "viewer", password: PASSWORD };
    const owned = await other.send("PATCH", `${API}/people/${owner.id}`, demoted, inStore(owner));
    expect([owned.status, person.id]).toEqual([204, person.id]);
    await expectRefused(await browser.get(`${API}/audit`), 40356);
    expect((await log(browser, "/account/audit")).map(({ action }) => action)).toContain("settings.changed");
  });
});
