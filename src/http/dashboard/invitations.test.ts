import { beforeEach, describe, expect, test } from "bun:test";
import type { InvitationRecord, NewInvitation, People } from "#contract/dashboard/people.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { DAY_MS } from "#core/duration.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import { auditedActions } from "#test/support/audit.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { Holder } from "#test/support/test-account.ts";
import { PASSWORD, type TestBrowser } from "#test/support/test-browser.ts";

const INVITATIONS = "/dashboard/api/people/invitations";
const ACCEPT = "/dashboard/api/invitation/accept";
const OVER = "This invitation was used or revoked, or is too old; ask for another one";

let app: OpenApp;
let holder: Holder;
let owner: TestBrowser;

withAppPerFile(async (opened, made) => {
  app = opened;
  holder = made;
  owner = await app.browser(holder);
});
beforeEach(() => app.storage.db.deleteFrom("attempts").execute());

let addresses = 0;
const newAddress = () => `invited${++addresses}@example.test`;

async function invited(email: string, more: object = {}): Promise<NewInvitation> {
  const answer = await owner.post(INVITATIONS, { email, role: "editor", ...more });
  expect(answer.status).toBe(200);
  return answer.json();
}

const tokenOf = ({ link }: NewInvitation) => new URL(link ?? "").searchParams.get("token") ?? "";
const tokenFor = async (email: string, more: object = {}) => tokenOf(await invited(email, more));
const people = async (): Promise<People> => (await owner.get("/dashboard/api/people")).json();
const invitations = async (): Promise<readonly InvitationRecord[]> => (await people()).invitations ?? [];
const roleOf = async (email: string) => (await people()).people.find((person) => person.email === email)?.role;
const seen = (token: string, by = app.stranger()) => by.post("/dashboard/api/invitation", { token });

test("an invitation says to what, for whom and by whom, and its link is in the answer that made it alone", async () => {
  const email = newAddress();
  const { invitation, link } = await invited(email.toUpperCase());
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:3000\/dashboard\/invitation\?token=[\w-]{32}$/);
  expect(invitation).toMatchObject({ email, role: "editor", mailed: false });
  expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * DAY_MS);
  expect(await invitations()).toEqual([invitation]);
  const token = new URL(link ?? "").searchParams.get("token") ?? "";
  expect(await (await seen(token)).json()).toEqual({
    store: holder.name,
    email,
    role: "editor",
    invited_by: holder.name,
    has_account: false,
  });
  const rows = JSON.stringify(await app.storage.db.selectFrom("invitations").selectAll().execute());
  expect(rows).not.toContain(token);
  expect(await roleOf(email)).toBeUndefined();
});

test("an invitation is for the address as accounts have it", async () => {
  const { invitation } = await invited("O&M@Bücher.example");
  expect(invitation.email).toBe("o&m@xn--bcher-kva.example");
});

test("somebody new takes it with a name and a password: signed in, in that store alone, the address not verified by a shown link", async () => {
  const email = newAddress();
  const token = await tokenFor(email);
  const browser = app.stranger();
  const answer = await browser.post(ACCEPT, { token, name: "Moss", password: PASSWORD });
  expect(answer.status).toBe(200);
  const view: SessionView = await answer.json();
  expect(view.account).toMatchObject({ email, name: "Moss", email_verified: false });
  expect(view.store).toMatchObject({ id: holder.storeId, role: "editor" });
  expect(view.stores.map(({ id }) => id)).toEqual([holder.storeId]);
  expect(await (await browser.get("/dashboard/api/session")).json()).toMatchObject({ store: { id: holder.storeId } });
  expect(await invitations()).toEqual([]);
  await expectRefused(await seen(token), 40355, OVER);
  await expectRefused(await app.stranger().post(ACCEPT, { token, password: PASSWORD }), 40355, OVER);
  const [joined, sent] = (await app.storage.reads.audit.list(holder.account, { limit: 2, action: "member" })).found;
  expect(joined).toMatchObject({ action: "member.joined", actor: { name: email }, detail: { email, role: "editor" } });
  expect(sent).toMatchObject({
    action: "member.invited",
    actor: { name: holder.email },
    detail: { email, role: "editor" },
  });
  const person = await app.storage.records.people.find({ email });
  expect(await auditedActions(app.storage, person?.id ?? "")).toEqual(["sign_in.succeeded", "account.created"]);
});

test("who has an account signs in with it first, and keeps their own store beside the other", async () => {
  const person = await app.account();
  const token = await tokenFor(person.email, { role: "developer" });
  expect(await (await seen(token)).json()).toMatchObject({ has_account: true });
  await expectRefused(await app.stranger().post(ACCEPT, { token }), 40150);
  await expectRefused(await app.stranger().post(ACCEPT, { token, password: PASSWORD }), 40950);
  const browser = await app.browser(person);
  const view: SessionView = await (await browser.post(ACCEPT, { token })).json();
  expect(view.store).toMatchObject({ id: holder.storeId, role: "developer" });
  expect(view.stores.map(({ id, role }) => [id, role])).toEqual([
    [person.storeId, "owner"],
    [holder.storeId, "developer"],
  ]);
  expect(view.account.email_verified).toBe(false);
});

test("signed in with another address it is refused, which is named, and stays good", async () => {
  const [other, email] = [await app.account(), newAddress()];
  const token = await tokenFor(email);
  const browser = await app.browser(other);
  const sentence = `You are signed in as ${other.email}, and this invitation is for ${email}`;
  await expectRefused(await browser.post(ACCEPT, { token, password: PASSWORD }), 40357, sentence);
  expect((await seen(token)).status).toBe(200);
  expect(await roleOf(other.email)).toBeUndefined();
});

test("a second one for the same address replaces the first, a revoked one is over, and so is one after seven days", async () => {
  const email = newAddress();
  const first = await tokenFor(email);
  const second = await invited(email, { role: "viewer" });
  await expectRefused(await seen(first), 40355, OVER);
  expect(await invitations()).toEqual([second.invitation]);
  const path = `${INVITATIONS}/${second.invitation.id}/revoke`;
  const stranger = await app.browser(await app.account());
  await expectRefused(await stranger.post(path), 40450);
  expect((await owner.post(path)).status).toBe(204);
  await expectRefused(await owner.post(path), 40450);
  await expectRefused(await seen(tokenOf(second)), 40355, OVER);
  const late = await tokenFor(email);
  await app.storage.db.updateTable("invitations").set({ expires_at: Date.now() }).execute();
  await expectRefused(await seen(late), 40355, OVER);
  await expectRefused(await app.stranger().post(ACCEPT, { token: late, password: PASSWORD }), 40355, OVER);
  expect(await invitations()).toEqual([]);
});

test("who belongs already is not invited, the fifty-first is refused, and what a former owner invited is over", async () => {
  await expectRefused(await owner.post(INVITATIONS, { email: holder.email, role: "viewer" }), 40951);
  const other = await app.account();
  const proof = { password: PASSWORD };
  const asOwner = await invited(other.email, { role: "owner", ...proof });
  const browser = await app.browser(other);
  expect((await browser.post(ACCEPT, { token: tokenOf(asOwner) })).status).toBe(200);
  const headers = { "Plantstore-Account": holder.storeId };
  const invite = (email: string) => browser.send("POST", INVITATIONS, { email, role: "viewer" }, headers);
  for (let at = 2; at < 50; at++) {
    if (at % 15 === 0) await app.storage.db.deleteFrom("attempts").execute();
    expect((await invite(newAddress())).status).toBe(200);
  }
  await app.storage.db.deleteFrom("attempts").execute();
  await expectRefused(await invite(newAddress()), 40902, "This store has 50 people and invitations");
  expect(await invitations()).toHaveLength(48);
  expect((await owner.send("PATCH", `/dashboard/api/people/${other.id}`, { role: "viewer", ...proof })).status).toBe(
    204,
  );
  expect(await invitations()).toEqual([]);
});

test("a store invites twenty times in an hour", async () => {
  for (let at = 0; at < 20; at++) await invited(newAddress());
  await expectRefused(await owner.post(INVITATIONS, { email: newAddress(), role: "viewer" }), 42901);
  expect(await invitations()).toHaveLength(20);
});

test("to be an owner takes a proof that was asked for, and a lesser role a recent one", async () => {
  const email = newAddress();
  await expectRefused(await owner.post(INVITATIONS, { email, role: "owner" }), 40354);
  await invited(email, { role: "owner", password: PASSWORD });
});

describe("bad input is answered with one sentence, and changes nothing:", () => {
  test.each([
    ["no address", {}, "email"],
    ["an address without a domain", { email: "moss" }, "email"],
    ["an address that is too long", { email: `${"x".repeat(250)}@example.test` }, "email"],
    ["an address with U+0000", { email: "a\0@example.test" }, "email"],
    ["two addresses", { email: ["a@example.test", "b@example.test"] }, "email"],
    ["no role", { role: undefined }, "role"],
    ["an unknown role", { role: "admin" }, "role"],
    ["the role of nobody", { role: "none" }, "role"],
  ])("%s", async (fault, member, name) => {
    const error = fault.startsWith("no ") ? 40002 : 40003;
    const form = { email: newAddress(), role: "viewer", ...(name === "email" ? { email: undefined } : {}), ...member };
    await expectRefused(await owner.post(INVITATIONS, form), error, `Cannot take "${name}": `);
    expect(await invitations()).toEqual([]);
  });

  test("an unknown token, an overlong one, and a password that is too short", async () => {
    await expectRefused(await seen("x"), 40355, OVER);
    await expectRefused(await seen("x".repeat(8000)), 40003, 'Cannot take "token": ');
    const token = await tokenFor(newAddress());
    await expectRefused(await app.stranger().post(ACCEPT, { token, password: "short" }), 40003);
    expect((await seen(token)).status).toBe(200);
  });
});
