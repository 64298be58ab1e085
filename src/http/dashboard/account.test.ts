import { describe, expect, test } from "bun:test";
import type { SessionView } from "#contract/dashboard/session.ts";
import type { Account } from "#core/account.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import { PASSWORD, type TestBrowser } from "#test/support/test-browser.ts";

const API = "/dashboard/api";
let app: OpenApp;
let holder: Account;
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
  });

  test("does not take the address of another account", async () => {
    const other = await app.account();
    const form = { email: other.email, password: PASSWORD };
    const sentence = "This e-mail address has an account already";
    await expectRefused(await browser.send("PATCH", `${API}/account`, form), 40950, sentence);
  });

  test.each([
    [{ email: "no address" }, "email"],
    [{ email: `${"x".repeat(250)}@example.test` }, "email"],
    [{ name: "" }, "name"],
    [{ name: "x".repeat(1000) }, "name"],
    [{ password: 5 }, "password"],
  ])("is not changed by a form with a wrong member", async (form, name) => {
    await expectRefused(await browser.send("PATCH", `${API}/account`, form), 40003, `Cannot take "${name}": `);
  });

  test("is removed with a proof and its own address, and with it everything that it has", async () => {
    const secret = await app.token(holder);
    const headers = { Authorization: `Bearer ${secret}` };
    await app.send("/v1/plants", { method: "POST", headers, body: '{"id":1,"name":"Fern"}' });
    await letProofAge();
    const remove = (form: object) => browser.post(`${API}/account/delete`, form);
    const other = await app.account();
    await expectRefused(await remove({ email: other.email, password: PASSWORD }), 40003, "Type the account's own");
    await expectRefused(await remove({ email: holder.email }), 40354);
    await expectRefused(await remove({ email: holder.email, password: "wrong password" }), 40351);
    expect((await browser.get(`${API}/session`)).status).toBe(200);
    expect((await remove({ email: ` ${holder.email.toUpperCase()} `, password: PASSWORD })).status).toBe(204);
    await expectRefused(await browser.get(`${API}/session`), 40150);
    const { accounts, plants } = app.service.store;
    expect(await accounts.findById(holder.id)).toBeUndefined();
    expect([await plants.count(holder.number), await app.storage.reads.tokens.list(holder.number)]).toEqual([0, []]);
    expect(await accounts.findById(other.id)).toEqual(other);
  });

  test("of a service that sends no mail is told so where a mail is asked for", async () => {
    await expectRefused(await browser.post(`${API}/account/send-verification`), 40401);
    await expectRefused(await browser.post(`${API}/recovery`, { email: holder.email }), 40401);
    await expectRefused(await browser.post(`${API}/verify-email`, { token: "x" }), 40401);
  });
});

describe("sessions", () => {
  test("are listed with the own one first, and ended by their own account alone", async () => {
    const second = await app.browser(holder);
    const { sessions } = await (await browser.get(`${API}/sessions`)).json();
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
    expect(sessions[0]).toMatchObject({ device: "Firefox on Linux", address: "127.0.0.1" });
    const stranger = await app.browser(await app.account());
    const sentence = "There is no such session; it may be over already";
    await expectRefused(await stranger.post(`${API}/sessions/${sessions[1].id}/end`), 40450, sentence);
    expect(await second.signedIn()).toBe(true);
    expect((await browser.post(`${API}/sessions/${sessions[1].id}/end`)).status).toBe(204);
    expect(await second.signedIn()).toBe(false);
    await expectRefused(await browser.post(`${API}/sessions/${sessions[1].id}/end`), 40450, sentence);
  });

  test("that are others' are ended together, and those of another account go on", async () => {
    const others = [await app.browser(holder), await app.browser(holder)];
    const stranger = await app.browser(await app.account());
    expect((await browser.post(`${API}/sessions/end-others`)).status).toBe(204);
    for (const other of others) expect(await other.signedIn()).toBe(false);
    expect([await browser.signedIn(), await stranger.signedIn()]).toEqual([true, true]);
  });

  test("are proved by the password for a quarter of an hour, and by no other", async () => {
    await letProofAge();
    await expectRefused(await browser.post(`${API}/proof`, { password: "not the password" }), 40351);
    await expectRefused(await browser.post(`${API}/proof`, {}), 40003);
    const { until } = await (await browser.post(`${API}/proof`, { password: PASSWORD })).json();
    expect(Date.parse(until) - Date.now()).toBeWithin(14 * 60_000, 15 * 60_000 + 1);
    const form = { name: "Till", scopes: ["plants:read"], expires_at: null };
    expect((await browser.post(`${API}/tokens`, form)).status).toBe(200);
  });

  test("that are over are refused, and the page's token ends with them", async () => {
    const { token } = await (await browser.post(`${API}/access-token`)).json();
    const read = () => app.send("/v1/plants", { headers: { Authorization: `Bearer ${token}` } });
    expect((await read()).status).toBe(200);
    const expired = { expires_at: new Date(Date.now() - 1000) };
    await app.storage.db.updateTable("sessions").set(expired).where("user_id", "=", holder.id).execute();
    await expectRefused(await browser.get(`${API}/session`), 40150);
    await Bun.sleep(600);
    await expectRefused(await read(), 40102);
  });

  test("have no trusted device that a stranger could forget", async () => {
    expect(await (await browser.get(`${API}/trusted-devices`)).json()).toEqual({ devices: [] });
    const sentence = "There is no such trusted device; it may be forgotten already";
    await expectRefused(await browser.post(`${API}/trusted-devices/dev_x/forget`), 40450, sentence);
    expect((await browser.post(`${API}/trusted-devices/forget-all`)).status).toBe(204);
  });
});
