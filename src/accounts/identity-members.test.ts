import { beforeEach, describe, expect, test } from "bun:test";
import type { Failure } from "#core/failure.ts";
import type { Store } from "#core/store.ts";
import { auditedActions, TEST_SOURCE } from "#test/support/audit.ts";
import { type AuthBrowser, openAuth, quickAccount } from "#test/support/auth-browser.ts";
import { openIdentityWorld } from "#test/support/identity-world.ts";
import { openTestRecords } from "#test/support/test-records.ts";
import { parseMemberRules } from "./member-rules.ts";

const world = await openIdentityWorld();
const { opened, storage, idp, identities, begin, finish, through, stranger, member } = world;

describe("with OIDC_MEMBERS", () => {
  const RULES = "groups:growers=editor,groups:it=owner";
  let notices: string[];
  let store: Store;
  beforeEach(async () => {
    notices = [];
    const observer = { failed() {}, count() {}, notice: (text: string) => void notices.push(text) };
    world.auth = openAuth(storage, {
      observer,
      identities: { ...identities(), members: parseMemberRules(RULES) ?? [] },
    });
    const [first] = await storage.reads.stores.list();
    const made = first ?? (await storage.records.stores.find({ id: (await member()).person.storeId }));
    if (!made) throw new Error("there is no store");
    store = made;
    idp.claims = {
      ...idp.claims,
      email: `${crypto.randomUUID()}@corp.example`,
      name: "Ada Grower",
      groups: ["growers"],
    };
  });

  const comes = async () => {
    const browser = stranger();
    await through(browser);
    return browser;
  };
  const storesOf = async (browser: AuthBrowser) => {
    const stores = await storage.records.members.storesOf((await browser.session()).person);
    return stores.map(({ id, role }) => [id, role]);
  };
  const from = async (browser: AuthBrowser, change: Record<string, unknown>) => {
    idp.claims = { ...idp.claims, ...change };
    await through(browser);
    return storesOf(browser);
  };

  test("who has the value of a claim comes without an invitation, into the first account's store alone", async () => {
    const browser = await comes();
    const { person, hasPassword } = await browser.session();
    expect([person.email, person.name, person.emailVerified]).toEqual([idp.claims.email as string, "Ada Grower", true]);
    expect(await storesOf(browser)).toEqual([[store.id, "editor"]]);
    expect(hasPassword).toBe(false);
    expect(await auditedActions(opened, store.number)).toContain("member.joined");
  });

  test("an address that the provider says is taken as one that was typed", async () => {
    idp.claims = { ...idp.claims, email: "O&M@Bücher.example" };
    expect((await (await comes()).session()).person.email).toBe("o&m@xn--bcher-kva.example");
  });

  test.each([
    ["says nothing of it", undefined],
    ["denies it", false],
    ["says it in a text", "true"],
  ])("an address is not verified where the provider %s", async (_, email_verified) => {
    idp.claims = { ...idp.claims, email_verified };
    expect((await (await comes()).session()).person.emailVerified).toBe(false);
  });

  test.each(["groups", "email_verified", "name", "email"])(
    "userinfo is asked for %s where the ID token lacks it",
    async (lacking) => {
      const { claims } = idp;
      idp.spoilt = { claims: { [lacking]: undefined } };
      const browser = await comes();
      const { person } = await browser.session();
      expect(await storesOf(browser)).toEqual([[store.id, "editor"]]);
      expect([person.email, person.name, person.emailVerified]).toEqual([claims.email as string, "Ada Grower", true]);
      expect(idp.asked.at(-1)).toBe("/userinfo");
    },
  );

  test("userinfo is asked for the roles of who is known, and for nothing else", async () => {
    await comes();
    const asked = () => idp.asked.filter((path) => path === "/userinfo").length;
    idp.spoilt = { claims: { email: undefined, email_verified: undefined, name: undefined } };
    await comes();
    expect(asked()).toBe(0);
    idp.spoilt = { claims: { groups: undefined } };
    await comes();
    expect(asked()).toBe(1);
  });

  test("an address of the ID token is not verified by what userinfo says of another", async () => {
    const email = `${crypto.randomUUID()}@corp.example`;
    idp.spoilt = { claims: { email, email_verified: undefined } };
    const { person } = await (await comes()).session();
    expect([person.email, person.emailVerified]).toEqual([email, false]);
  });

  test("a claim of any kind is no fault, and gives no role", async () => {
    for (const groups of [{ toString: 1 }, [{ toString: 1 }], 1, true, [["growers"]]]) {
      idp.claims = { ...idp.claims, groups };
      await expect(comes()).rejects.toMatchObject({ code: "identity-unknown" });
    }
  });

  test("groups that are too many to be sent change no role, which is logged, and bring nobody", async () => {
    const browser = await comes();
    const tooMany = { groups: undefined, _claim_names: { groups: "src1" }, _claim_sources: { src1: {} } };
    expect(await from(browser, tooMany)).toEqual([[store.id, "editor"]]);
    expect(notices.at(-1)).toContain("did not send the claim groups of somebody, who has too many");
    idp.claims = { ...idp.claims, sub: "another with too many" };
    const refused = (await comes().catch((error: unknown) => error)) as Failure;
    expect((refused.detail.cause as Error).message).toContain("the claim groups was not sent");
  });

  test.each([
    ["the claim groups is missing", { groups: undefined }],
    ["the claim groups matches no value", { groups: ["secret group"] }],
    ["the claim email is missing", { email: undefined }],
    ["an account has the address", {}],
  ])("the log says why nobody is known, and nothing of the person: %s", async (reason, change) => {
    const { person } = await member();
    idp.claims = { ...idp.claims, email: person.email, ...change };
    const refused = (await comes().catch((error: unknown) => error)) as Failure;
    expect(refused.code).toBe("identity-unknown");
    const { message } = refused.detail.cause as Error;
    expect(message).toContain(reason);
    for (const told of ["secret group", person.email, String(idp.claims.sub)]) expect(message).not.toContain(told);
  });

  test("nobody comes whose claims give no role, whose address an account has, or who has none: each is told the same", async () => {
    const { person } = await member();
    const accounts = async () => (await storage.db.selectFrom("people").select("id").execute()).length;
    const before = await accounts();
    const told = new Set<string>();
    for (const change of [
      { groups: ["sales"] },
      { email: person.email },
      { email: undefined },
      { email: "no address" },
    ]) {
      const { claims } = idp;
      idp.claims = { ...claims, ...change };
      const refused = (await through(stranger()).catch((error: unknown) => error)) as Failure;
      expect(refused.code).toBe("identity-unknown");
      told.add(refused.message);
      idp.claims = claims;
    }
    expect([told.size, await accounts()]).toEqual([1, before]);
  });

  test("two windows of one person who comes make one account", async () => {
    const [one, other] = [stranger(), stranger()];
    const [first, second] = [idp.search(await begin(one)), idp.search(await begin(other))];
    await Promise.all([finish(one, first), finish(other, second)]);
    expect((await one.session()).person.id).toBe((await other.session()).person.id);
  });

  test("the role follows the claims at each sign-in; without a value it ends", async () => {
    const browser = await comes();
    expect(await from(browser, { groups: ["growers", "it"] })).toEqual([[store.id, "owner"]]);
    expect(await from(stranger(), { groups: ["growers"] })).toEqual([[store.id, "editor"]]);
    expect(await from(browser, { groups: [] })).toEqual([]);
    expect(await from(browser, { groups: "it" })).toEqual([[store.id, "owner"]]);
  });

  test("a role that was set by hand stays, whatever the claims", async () => {
    const browser = await comes();
    const { person } = await browser.session();
    const caller = { ...TEST_SOURCE, account: store.number };
    await storage.records.members.changeRole(caller, person.id, "developer");
    expect(await from(browser, { groups: ["it"] })).toEqual([[store.id, "developer"]]);
    expect(await from(browser, { groups: [] })).toEqual([[store.id, "developer"]]);
  });

  test("who finds the store full signs in without it, which is logged", async () => {
    const now = Date.now();
    const invitation = { account: store.number, role: "viewer", mailed: false, made_by: null } as const;
    const row = (at: number) => ({
      ...invitation,
      id: `${at}`,
      hash: new Uint8Array([at]),
      email: `${at}@corp.example`,
    });
    const full = Array.from({ length: 50 }, (_, at) => ({ ...row(at), created_at: now, expires_at: now + 60_000 }));
    await storage.db.insertInto("invitations").values(full).execute();
    const browser = await comes();
    const { person } = await browser.session();
    expect(await storesOf(browser)).toEqual([]);
    expect(notices.at(-1)).toContain(`${person.email} does not join the store`);
    await storage.db.deleteFrom("invitations").where("account", "=", store.number).execute();
    expect(await from(browser, {})).toEqual([[store.id, "editor"]]);
  });

  test("nobody comes before there is a store, nor into a stranger's once the first account's is removed", async () => {
    const own = await openTestRecords("sqlite");
    const { records } = own.storage;
    world.auth = openAuth(own.storage, { identities: { ...identities(), members: parseMemberRules("owner") ?? [] } });
    const come = async () => {
      const browser = stranger();
      idp.claims = { sub: crypto.randomUUID(), email: `${crypto.randomUUID()}@corp.example` };
      await through(browser);
      return (await browser.session()).person;
    };
    await expect(come()).rejects.toMatchObject({ code: "identity-unknown" });
    const [first] = [await quickAccount(own.storage), await quickAccount(own.storage)];
    const stores = await records.members.storesOf(await come());
    expect(stores.map(({ id }) => id)).toEqual([first.storeId]);
    await records.stores.remove(first.account, TEST_SOURCE);
    await expect(come()).rejects.toMatchObject({ code: "identity-unknown" });
    await own.end();
  });

  test("the last owner stays, which is logged", async () => {
    idp.claims = { ...idp.claims, groups: ["it"] };
    const browser = await comes();
    const { person } = await browser.session();
    await storage.db
      .deleteFrom("members")
      .where("store", "=", store.number)
      .where("role", "=", "owner")
      .where("person", "!=", person.id)
      .execute();
    expect(await from(browser, { groups: ["growers"] })).toEqual([[store.id, "owner"]]);
    expect(await from(browser, { groups: [] })).toEqual([[store.id, "owner"]]);
    expect(notices.at(-1)).toContain(`${person.email} stays the last owner`);
  });
});
