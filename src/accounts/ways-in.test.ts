import { beforeEach, expect, test } from "bun:test";
import { AuthBrowser, openAuth, setUpSecondFactor, signedIn } from "#test/support/auth-browser.ts";
import { SoftwareAuthenticator } from "#test/support/authenticator.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { TestIdentityProvider } from "#test/support/identity-provider.ts";
import type { Holder } from "#test/support/test-account.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { IdentityProvider } from "./identity-provider.ts";
import { makeMailedLink } from "./mailed-links.ts";

const LAST = { code: "last-way-in" };
const PASSWORD = { newPassword: "seven orange garden gnomes" };

describeRecords("the last way in, on %s", (opened) => {
  const idp = new TestIdentityProvider();
  const { storage } = opened;
  const auth = (only = false, issuer = idp.issuer) => {
    const provider = new IdentityProvider({ issuer, clientId: "plants", clientSecret: undefined, claims: [] });
    return openAuth(storage, { identities: { name: "Corp", only, members: [], provider } });
  };
  let browsers = 0;
  let person: Holder;
  let browser: AuthBrowser;
  beforeEach(async () => {
    idp.claims = { sub: crypto.randomUUID() };
    const jar = new CookieJar();
    jar.address = `10.1.0.${++browsers}`;
    ({ browser, person } = await signedIn(auth(), storage, jar));
  });

  /** The same browser at a service with other settings. */
  const at = (only: boolean, issuer?: string) => new AuthBrowser(auth(only, issuer), browser.jar);
  const connect = async () => {
    await prove();
    const { url } = (await browser.send("/oidc/begin", { purpose: "connect" })) as { url: string };
    await browser.send("/oidc/finish", { search: idp.search(url) });
  };
  const prove = async (by = browser) => auth().proofs.keep(await by.session());
  const removeIdentity = async (by = browser, service = auth()) => {
    await prove(by);
    const [identity] = await service.identities.list(await by.session());
    await service.identities.remove(await by.session(), identity?.id ?? "");
  };
  const removePasskey = async (by = browser, service = auth()) => {
    await prove(by);
    const [passkey] = await service.passkeys.list(await by.session());
    await service.passkeys.remove(await by.session(), passkey?.id ?? "");
  };
  const forgetPassword = () =>
    storage.db.updateTable("people").set({ password: null }).where("id", "=", person.id).execute();
  const ownsNothing = () => storage.db.deleteFrom("members").where("person", "=", person.id).execute();
  const identitiesLeft = async () => (await auth().identities.list(await browser.session())).length;

  test("is an identity of the issuer that is set, where there is neither a password nor a passkey", async () => {
    await connect();
    await forgetPassword();
    await expect(removeIdentity()).rejects.toMatchObject(LAST);
    expect((await browser.session()).proof?.kind).toBe("asked");
  });

  test("is a passkey where the identity is of another issuer", async () => {
    await connect();
    await browser.register(new SoftwareAuthenticator(browser.jar.origin));
    await forgetPassword();
    await expect(removePasskey(browser, auth(false, "https://other.example"))).rejects.toMatchObject(LAST);
    await removePasskey();
  });

  test("is the identity, with OIDC_ONLY, of who is no owner, whatever password and passkeys they have", async () => {
    await connect();
    await browser.register(new SoftwareAuthenticator(browser.jar.origin));
    await setUpSecondFactor(browser);
    await removeIdentity(browser, auth(true));
    await connect();
    await ownsNothing();
    await expect(removeIdentity(browser, auth(true))).rejects.toMatchObject(LAST);
    await removePasskey(browser, auth(true));
  });

  test("is the identity, with OIDC_ONLY, of an owner whose password has no second factor", async () => {
    await connect();
    await expect(removeIdentity(browser, auth(true))).rejects.toMatchObject(LAST);
    await setUpSecondFactor(browser);
    await removeIdentity(browser, auth(true));
  });

  test("does not end with a second factor, a new password or a recovery either", async () => {
    await connect();
    await setUpSecondFactor(browser);
    await prove();
    const change = { ...PASSWORD, removeIdentities: true };
    await removeIdentity();
    await expect(auth(true).secondFactors.disable(await browser.session())).rejects.toMatchObject(LAST);
    await connect();
    await auth(true).secondFactors.disable(await browser.session());
    await prove();
    await expect(at(true).send("/change-password", change)).rejects.toMatchObject(LAST);
    await storage.db.updateTable("people").set({ email_verified: true }).where("id", "=", person.id).execute();
    const link = await makeMailedLink(storage, person, "recover-password");
    const { client } = browser;
    const recovery = auth(true).mail.recover(client, link, PASSWORD.newPassword, { removeIdentities: true });
    await expect(recovery).rejects.toMatchObject(LAST);
    expect(await identitiesLeft()).toBe(1);
    await at(false).send("/change-password", change);
    expect(await identitiesLeft()).toBe(0);
  });

  test("stays when two are removed at the same moment, by two sessions", async () => {
    await connect();
    const device = new SoftwareAuthenticator(browser.jar.origin);
    await browser.register(device);
    await forgetPassword();
    const jar = new CookieJar();
    jar.address = `10.2.0.${browsers}`;
    const other = new AuthBrowser(auth(), jar);
    await other.signInWithPasskey(device);
    await Promise.all([prove(), prove(other)]);
    const ends = await Promise.allSettled([removeIdentity(), removePasskey(other)]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const left = [await identitiesLeft(), (await auth().passkeys.list(await browser.session())).length];
    expect(left.toSorted()).toEqual([0, 1]);
  });
});
