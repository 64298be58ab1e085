import { beforeEach } from "bun:test";
import type { AuthService } from "#accounts/auth-service.ts";
import { IdentityProvider } from "#accounts/identity-provider.ts";
import { AuthBrowser, openAuth, signedIn } from "./auth-browser.ts";
import { CookieJar } from "./cookie-jar.ts";
import { TestIdentityProvider } from "./identity-provider.ts";
import { openTestAuth } from "./open-test-auth.ts";

export const REFUSED = { code: "identity-refused" };

let subjects = 0;
let jars = 0;

/** A jar of a network of its own. */
function ownJar(): CookieJar {
  const jar = new CookieJar();
  jar.address = `10.0.${jars >> 8}.${jars++ & 255}`;
  return jar;
}

/** People who sign in at a provider. Before each test of the file the service and the provider are as new. */
export async function openIdentityWorld() {
  const { opened, storage } = await openTestAuth();
  // Each file has a provider of its own, which goes with the file.
  const idp = new TestIdentityProvider();
  const options = {
    issuer: idp.issuer,
    clientId: "plants",
    clientSecret: "the secret",
    claims: [{ text: "groups", path: ["groups"] }],
  };
  const identities = (more: Partial<typeof options> = {}) => ({
    name: "Corp",
    only: false,
    members: [],
    provider: new IdentityProvider({ ...options, ...more }),
  });
  const world = { opened, storage, idp, options, identities, ownJar, auth: undefined as unknown as AuthService };
  beforeEach(() => {
    world.auth = openAuth(storage, { identities: identities() });
    Object.assign(idp, { mode: "up", place: undefined, spoilt: {}, metadata: {}, userinfo: {} });
    idp.claims = { sub: `grower-${++subjects}`, email: "grower@corp.example", email_verified: true };
    idp.asked.length = 0;
  });
  const begin = async (browser: AuthBrowser, purpose = "sign-in") =>
    ((await browser.send("/oidc/begin", { purpose })) as { url: string }).url;
  const finish = (browser: AuthBrowser, search: string) => browser.send("/oidc/finish", { search });
  const through = async (browser: AuthBrowser, purpose = "sign-in") =>
    finish(browser, idp.search(await begin(browser, purpose)));
  const list = async (browser: AuthBrowser) => world.auth.identities.list(await browser.session());
  const stranger = () => new AuthBrowser(world.auth, ownJar());
  const member = () => signedIn(world.auth, storage, ownJar());
  /** A browser of somebody who has connected the provider's present user. */
  const connected = async () => {
    const { browser, person } = await member();
    await browser.prove();
    await through(browser, "connect");
    return { browser, person };
  };
  return Object.assign(world, { begin, finish, through, list, stranger, member, connected });
}
