import { describe, expect, test } from "bun:test";
import type { People } from "#contract/dashboard/people.ts";
import type { Role } from "#core/role.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import { testCaller } from "#test/support/audit.ts";
import { eventually } from "#test/support/eventually.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { newPlants } from "#test/support/plant-lists.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { Holder } from "#test/support/test-account.ts";
import { PASSWORD, type TestBrowser } from "#test/support/test-browser.ts";
import { earlierTotpCode } from "#test/support/totp.ts";

const PEOPLE = "/dashboard/api/people";

let app: OpenApp;
let holder: Holder;
let owner: TestBrowser;

withAppPerFile(async (opened, made) => {
  app = opened;
  holder = made;
  owner = await app.browser(holder);
});

async function joined(role: Role): Promise<{ person: Holder; browser: TestBrowser }> {
  const person = await app.account();
  const row = { store: holder.account, person: person.id, role, source: "hand", joined_at: Date.now() } as const;
  await app.storage.db.insertInto("members").values(row).execute();
  return { person, browser: await app.browser(person) };
}

const send = (browser: TestBrowser, method: string, path = "", body?: unknown) =>
  browser.send(method, PEOPLE + path, body, { "Plantstore-Account": holder.storeId });
const listed = async (browser = owner): Promise<People> => (await send(browser, "GET")).json();

test("everybody of a store sees who belongs to it; invitations and second factors are for owners alone", async () => {
  const editor = await joined("editor");
  const seen = await listed(editor.browser);
  const record = {
    id: editor.person.id,
    name: editor.person.name,
    email: editor.person.email,
    role: "editor",
    by: "hand",
  };
  expect(seen.people).toEqual([
    {
      id: holder.id,
      name: holder.name,
      email: holder.email,
      role: "owner",
      by: "hand",
      joined_at: new Date(holder.createdAt).toISOString(),
    },
    { ...record, joined_at: expect.any(String) } as never,
  ]);
  expect(Object.keys(seen)).toEqual(["people"]);
  const all = await listed();
  expect(all.invitations).toEqual([]);
  expect(all.people.map(({ second_factor }) => second_factor)).toEqual([false, false]);
});

test("a role takes a proof that was asked for where owner is given or taken, and none otherwise", async () => {
  const { person } = await joined("viewer");
  expect((await send(owner, "PATCH", `/${person.id}`, { role: "developer" })).status).toBe(204);
  await expectRefused(await send(owner, "PATCH", `/${person.id}`, { role: "owner" }), 40354);
  const proof = { password: "monstera in the rain" };
  expect((await send(owner, "PATCH", `/${person.id}`, { role: "owner", ...proof })).status).toBe(204);
  const other = await app.browser(holder);
  await expectRefused(await send(other, "PATCH", `/${person.id}`, { role: "viewer" }), 40354);
  expect((await listed()).people[1]).toMatchObject({ id: person.id, role: "owner" });
});

describe("bad input is answered with one sentence, and changes nothing:", () => {
  test.each([
    ["an unknown role", { role: "admin" }, 40003, 'Cannot take "role": '],
    [
      "the role that stands for no membership",
      { role: "none" },
      40003,
      'Cannot take "role": it must be "viewer", "editor", "developer" or "owner"',
    ],
    ["two roles", { role: ["viewer", "owner"] }, 40003, 'Cannot take "role": '],
    ["no role", {}, 40002, 'Cannot take "role": it is missing'],
  ])("%s", async (_, form, error, sentence) => {
    const { person } = await joined("editor");
    await expectRefused(await send(owner, "PATCH", `/${person.id}`, form), error, sentence);
    expect((await listed()).people[1]).toMatchObject({ id: person.id, role: "editor" });
  });

  test.each(["another store's person", "nobody", "x".repeat(2000)])("the id of %s", async (given) => {
    const id = given.startsWith("another") ? (await app.account()).id : given;
    const sentence = "Nobody with this id belongs to the store; they may have been removed";
    await expectRefused(await send(owner, "PATCH", `/${id}`, { role: "viewer" }), 40450, sentence);
    await expectRefused(await send(owner, "POST", `/${id}/remove`, {}), 40450, sentence);
  });

  test.each(["x".repeat(8000), `${crypto.randomUUID()}, ${crypto.randomUUID()}`, "é", ""])(
    "a store's id like %.20s",
    async (id) => {
      const answer = await owner.send("GET", PEOPLE, undefined, { "Plantstore-Account": id });
      await expectRefused(answer, 40450, "You belong to no such store; it may be that you were removed from it");
    },
  );
});

test("who is no owner changes nobody, whoever was removed sees nothing of the store any more, and goes on elsewhere", async () => {
  const { person, browser } = await joined("developer");
  await expectRefused(await send(browser, "PATCH", `/${person.id}`, { role: "owner" }), 40356);
  await expectRefused(await send(browser, "POST", `/${holder.id}/remove`, {}), 40356);
  expect((await send(owner, "POST", `/${person.id}/remove`, { revoke_tokens: false })).status).toBe(204);
  await expectRefused(await send(browser, "GET"), 40450);
  expect((await browser.get("/dashboard/api/session")).status).toBe(200);
  expect((await listed()).people.map(({ id }) => id)).toEqual([holder.id]);
});

test("where a second factor is asked for, only an owner who has one asks, and others see nothing until they have one", async () => {
  const { browser: viewer } = await joined("viewer");
  const store = (browser: TestBrowser, second_factor_required: boolean) =>
    browser.send("PATCH", "/dashboard/api/store", { second_factor_required }, { "Plantstore-Account": holder.storeId });
  const own = "Who asks all others for it must have a second factor or a passkey: add one under Settings, Security";
  await expectRefused(await store(owner, true), 40358, own);
  expect((await listed(viewer)).people.length).toBeGreaterThan(1);

  await addFactor(owner);
  expect((await store(owner, true)).status).toBe(204);
  const sentence = `${holder.name} asks for a second factor or a passkey: add one under Settings, Security`;
  await expectRefused(await send(viewer, "GET"), 40358, sentence);
  const operation = () =>
    viewer.send("GET", "/dashboard/api/v1/plants", undefined, { "Plantstore-Account": holder.storeId });
  await expectRefused(await operation(), 40358, sentence);
  await addFactor(viewer);
  expect([(await send(viewer, "GET")).status, (await operation()).status]).toEqual([200, 200]);
  expect((await store(owner, false)).status).toBe(204);
});

test("one of a store's people never has all streams that the store may have, by however many pages", async () => {
  const viewer = (await joined("viewer")).browser;
  const program = await app.token(holder);
  const open: Response[] = [];
  const Accept = "text/event-stream";
  const kept = (answer: Response) => {
    if (answer.status === 200) open.push(answer);
    return answer;
  };
  const page = async (by: TestBrowser) => {
    const headers = { Accept, "Plantstore-Account": holder.storeId };
    return kept(await by.send("GET", "/dashboard/api/v1/events", undefined, headers));
  };
  const ask = async () =>
    kept(await app.send("/v1/events", { headers: { Authorization: `Bearer ${program}`, Accept } }));
  for (let count = 0; count < 4; count++) expect((await page(viewer)).status).toBe(200);
  await expectRefused(await page(viewer), 42901, "This person has 4 streams under way");
  expect((await page(owner)).status).toBe(200);
  for (let count = 0; count < 3; count++) expect((await ask()).status).toBe(200);
  await expectRefused(await page(owner), 42901, "This account has 8 streams under way");
  for (const answer of open) await answer.body?.cancel();
});

async function addFactor(browser: TestBrowser): Promise<void> {
  await browser.post("/dashboard/api/proof", { password: PASSWORD });
  const { totpURI } = await (await browser.post("/auth/two-factor/enable", { password: PASSWORD })).json();
  const answer = await browser.post("/auth/two-factor/verify-totp", { code: await earlierTotpCode(totpURI) });
  expect(answer.status).toBe(200);
}

test("emptying a test store is answered 202 at once, and the session says how many plants are left until it is empty", async () => {
  const { records } = app.storage;
  const caller = testCaller(holder.account);
  const id = await records.stores.add(holder, { name: "Trial", isTest: true }, false, caller);
  const [store] = (await records.members.storesOf(holder)).filter((each) => each.id === id);
  if (!store) throw new Error("The store is not there");
  for (let at = 0; at < 4000; at += 500)
    await records.plants.createMany(store.account, newPlants(4000).slice(at, at + 500));
  const headers = { "Plantstore-Account": id };
  const emptying = async () =>
    (await (await owner.send("GET", "/dashboard/api/session", undefined, headers)).json()).store.emptying;
  expect(await emptying()).toBeUndefined();
  await owner.post("/dashboard/api/proof", { password: PASSWORD });
  const answer = await owner.send("POST", "/dashboard/api/store/empty", { name: "Trial" }, headers);
  expect([answer.status, await answer.text()]).toEqual([202, ""]);
  const { left } = await emptying();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(4000);
  await eventually("the store is empty", async () => (await emptying()) === undefined);
  expect(await records.plants.count(store.account)).toBe(0);
});
