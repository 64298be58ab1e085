import { describe, expect, test } from "bun:test";
import type { Person } from "#core/person.ts";
import { AuthBrowser, openAuth, setUpSecondFactor } from "#test/support/auth-browser.ts";
import { SoftwareAuthenticator } from "#test/support/authenticator.ts";
import { openIdentityWorld } from "#test/support/identity-world.ts";
import { totpCode } from "#test/support/totp.ts";

const world = await openIdentityWorld();
const { storage, idp, identities, connected, begin, through, stranger, member, ownJar } = world;

describe("an invitation", () => {
  async function invited(email = `${crypto.randomUUID()}@corp.example`) {
    const { browser, person } = await member();
    const { caller } = await browser.session();
    const { secret } = await world.auth.invitations.make(
      { ...caller, account: person.account },
      { email, role: "developer" },
    );
    return { email, store: person, token: secret };
  }
  const take = async (browser: AuthBrowser, token: string) =>
    browser.send("/oidc/finish", { search: idp.search(await begin(browser)), invitation: token });

  test("makes the account of the invited address, whatever the provider says, with the identity and no password, once", async () => {
    const { email, store, token } = await invited();
    const browser = stranger();
    await take(browser, token);
    const { person, hasPassword } = await browser.session();
    expect([person.email, person.emailVerified, hasPassword]).toEqual([email, false, false]);
    const stores = await storage.records.members.storesOf(person);
    expect(stores.map(({ id, role }) => [id, role])).toEqual([[store.storeId, "developer"]]);
    idp.claims = { sub: "a-second-one" };
    await expect(take(stranger(), token)).rejects.toMatchObject({ code: "link-refused" });
    await expect(through(stranger())).rejects.toMatchObject({ code: "identity-unknown" });
  });

  test("is not taken by a stranger's identity where the address has an account, nor by one that is known", async () => {
    const { person } = await member();
    const { token } = await invited(person.email);
    await expect(take(stranger(), token)).rejects.toMatchObject({ code: "identity-unknown" });
    await connected();
    await take(stranger(), token);
    expect((await world.auth.invitations.find(stranger().client, token)).email).toBe(person.email);
  });

  test("with OIDC_ONLY is not taken with a password", async () => {
    const { token } = await invited();
    const only = openAuth(storage, { identities: { ...identities(), only: true } });
    const form = { token, name: "Ada", password: "seven orange garden gnomes" };
    const joined = only.signUps.join(stranger().client, undefined, form);
    await expect(joined).rejects.toMatchObject({ code: "provider-required" });
    await world.auth.invitations.find(stranger().client, token);
  });
});

describe("with OIDC_ONLY", () => {
  const NEEDS_PROVIDER = { code: "provider-required" };
  const only = () => openAuth(storage, { identities: { ...identities(), only: true } });
  const noOwner = async ({ id }: Person) => {
    await storage.db.deleteFrom("members").where("person", "=", id).execute();
  };

  test("an owner signs in with the password and a second factor, or with a passkey, and with neither not", async () => {
    const { browser, person } = await member();
    const device = new SoftwareAuthenticator(browser.jar.origin);
    await browser.register(device);
    const elsewhere = () => new AuthBrowser(only(), ownJar());
    await expect(elsewhere().signIn(person)).rejects.toMatchObject(NEEDS_PROVIDER);
    await elsewhere().signInWithPasskey(device);
    await setUpSecondFactor(browser);
    expect(await elsewhere().signIn(person)).toEqual({ two_factor: true });
  });

  test("others are asked for the provider, but only after the right password or passkey", async () => {
    const { browser, person } = await connected();
    const device = new SoftwareAuthenticator(browser.jar.origin);
    await browser.register(device);
    await setUpSecondFactor(browser);
    await noOwner(person);
    const elsewhere = () => new AuthBrowser(only(), ownJar());
    await expect(elsewhere().signIn(person)).rejects.toMatchObject(NEEDS_PROVIDER);
    await expect(elsewhere().signIn(person, { password: "wrong" })).rejects.toMatchObject({ code: "sign-in-refused" });
    await expect(elsewhere().signInWithPasskey(device)).rejects.toMatchObject(NEEDS_PROVIDER);
    await through(elsewhere());
  });

  test("a code is not enough for who is no owner any more since the password was checked", async () => {
    const { browser, person } = await member();
    const { uri } = await setUpSecondFactor(browser);
    const elsewhere = new AuthBrowser(only(), ownJar());
    expect(await elsewhere.signIn(person)).toEqual({ two_factor: true });
    await noOwner(person);
    await expect(elsewhere.send("/two-factor/verify-totp", { code: totpCode(uri) })).rejects.toMatchObject(
      NEEDS_PROVIDER,
    );
  });

  test("nobody makes an account with a password but whoever makes the first one", async () => {
    const form = { email: "stranger@example.test", password: "seven orange garden gnomes" };
    await member();
    await expect(only().signUps.make(stranger().client, form)).rejects.toMatchObject(NEEDS_PROVIDER);
    expect(await only().signUps.problem(undefined)).toContain("identity provider");
    expect(await storage.records.people.find(form)).toBeUndefined();
  });

  test("the start counts who would be kept out: neither owners with a second factor or a passkey, nor who has an identity", async () => {
    const count = () => only().identities.keptOut();
    const before = await count();
    await connected();
    const owner = await member();
    await setUpSecondFactor(owner.browser);
    const withKey = await member();
    await withKey.browser.register(new SoftwareAuthenticator(withKey.browser.jar.origin));
    expect(await count()).toBe(before);
    await member();
    await noOwner(withKey.person);
    expect(await count()).toBe(before + 2);
    expect(await world.auth.identities.keptOut()).toBe(0);
  });
});
