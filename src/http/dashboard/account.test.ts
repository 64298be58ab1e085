import { describe, expect, test } from "bun:test";
import type { SessionView } from "#contract/dashboard/session.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { Holder } from "#test/support/test-account.ts";
import { PASSWORD, type TestBrowser } from "#test/support/test-browser.ts";

const API = "/dashboard/api";
let app: OpenApp;
let holder: Holder;
let browser: TestBrowser;

withAppPerFile(async (opened, account) => {
  [app, holder] = [opened, account];
  browser = await app.browser(holder);
});

const shown = async (): Promise<SessionView> => (await browser.get(`${API}/session`)).json();

/** The holder proved who they are so long ago that a proof is asked for. */
const letProofAge = () => app.storage.db.updateTable("sessions").set({ proved_at: 1 }).execute();

describe("an account", () => {
  test("is shown as it is, with the origin that the page was opened at", async () => {
    const { account, base_url, signup, mail, versions } = await shown();
    expect(account).toMatchObject({ id: holder.id, email: holder.email, two_factor: false, email_verified: false });
    expect([base_url, signup, mail, versions.segment]).toEqual(["http://127.0.0.1:3000", "first", false, "v1"]);
  });

  test("has its name changed without a proof, and its address only with one", async () => {
    await letProofAge();
    const change = (form: object) => browser.send("PATCH", `${API}/account`, form);
    expect(await (await change({ name: " Moss & Co " })).json()).toMatchObject({ account: { name: "Moss & Co" } });
    const email = `new-${holder.email}`;
    await expectRefused(await change({ email }), 40354);
    await expectRefused(await change({ email, password: "not the password" }), 40351);
    expect((await shown()).account.email).toBe(holder.email);
    const answer = await change({ email: email.toUpperCase(), password: PASSWORD });
    expect(await answer.json()).toMatchObject({ account: { email, name: "Moss & Co" } });
    expect((await change({ email: "Moss@Bücher.example", password: PASSWORD })).status).toBe(200);
    await letProofAge();
    expect((await change({ email: "moss@BÜCHER.example" })).status).toBe(200);
  });

  test("is not changed by a page of a store to which its person does not belong", async () => {
    const before = await shown();
    const elsewhere = { "Plantstore-Account": (await app.account()).storeId };
    await expectRefused(await browser.send("PATCH", `${API}/account`, { name: "Fern" }, elsewhere), 40450);
    expect((await shown()).account.name).toBe(before.account.name);
  });

  test("does not take the address of another account", async () => {
    const other = await app.account();
    const form = { email: other.email, password: PASSWORD };
    const sentence = "This e-mail address has an account already";
    await expectRefused(await browser.send("PATCH", `${API}/account`, form), 40950, sentence);
  });

  test.each([
    [{ email: "no address" }, "email"],
    [{ name: "" }, "name"],
    [{ password: 5 }, "password"],
  ])("is not changed by a form with a wrong member", async (form, name) => {
    await expectRefused(await browser.send("PATCH", `${API}/account`, form), 40003, `Cannot take "${name}": `);
  });

  test("is removed with a proof and its own address, and with it everything that it has", async () => {
    const secret = await app.token(holder);
    const moved = { email: "Fern@Bücher.example", password: PASSWORD };
    expect((await browser.send("PATCH", `${API}/account`, moved)).status).toBe(200);
    const headers = { Authorization: `Bearer ${secret}` };
    await app.send("/v1/plants", { method: "POST", headers, body: '{"id":1,"name":"Fern"}' });
    await letProofAge();
    const remove = (form: object) => browser.post(`${API}/account/delete`, { stores: [holder.storeId], ...form });
    const other = await app.account();
    await expectRefused(await remove({ email: other.email, password: PASSWORD }), 40003, "Type the account's own");
    await expectRefused(await remove({ email: moved.email }), 40354);
    await expectRefused(await remove({ email: moved.email, password: "wrong password" }), 40351);
    expect((await browser.get(`${API}/session`)).status).toBe(200);
    expect((await remove({ email: " fern@BÜCHER.example ", password: PASSWORD })).status).toBe(204);
    await expectRefused(await browser.get(`${API}/session`), 40150);
    const { people, plants } = app.service.records;
    expect(await people.find({ id: holder.id })).toBeUndefined();
    expect([await plants.count(holder.account), await app.storage.reads.tokens.list(holder.account)]).toEqual([0, []]);
    const { account: _, storeId: __, ...person } = other;
    expect(await people.find({ id: other.id })).toEqual(person);
  });

  test("is removed with a proof by a program that names its stores alone", async () => {
    await letProofAge();
    const remove = (form: object) => browser.post(`${API}/account/delete`, { stores: [holder.storeId], ...form });
    await expectRefused(await remove({}), 40354);
    expect((await remove({ password: PASSWORD })).status).toBe(204);
  });

  test("of a service that sends no mail is told so where a mail is asked for", async () => {
    await expectRefused(await browser.post(`${API}/account/send-verification`), 40401);
    await expectRefused(await browser.post(`${API}/recovery`, { email: holder.email }), 40401);
    await expectRefused(await browser.post(`${API}/verify-email`, { token: "x" }), 40401);
  });
});
