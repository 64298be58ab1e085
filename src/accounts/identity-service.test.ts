import { beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import type { Failure } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { Store } from "#core/store.ts";
import { IDENTITIES } from "#storage/sign-in/identities.ts";
import { auditedActions, TEST_SOURCE } from "#test/support/audit.ts";
import { AuthBrowser, openAuth, quickAccount, setUpSecondFactor, signedIn } from "#test/support/auth-browser.ts";
import { SoftwareAuthenticator } from "#test/support/authenticator.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { eventually } from "#test/support/eventually.ts";
import { foreignKey, TestIdentityProvider } from "#test/support/identity-provider.ts";
import { NOW, openTestAuth } from "#test/support/open-test-auth.ts";
import { openTestRecords } from "#test/support/test-records.ts";
import { totpCode } from "#test/support/totp.ts";
import type { AuthService } from "./auth-service.ts";
import { IdentityProvider } from "./identity-provider.ts";
import { parseMemberRules } from "./member-rules.ts";
import { SIGN_IN_BY_ADDRESS } from "./sign-in.ts";

const { opened, storage } = await openTestAuth();
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
let auth: AuthService;

const REFUSED = { code: "identity-refused" };

let subjects = 0;
let jars = 0;
beforeEach(() => {
  auth = openAuth(storage, { identities: identities() });
  Object.assign(idp, { mode: "up", place: undefined, spoilt: {}, metadata: {}, userinfo: {} });
  idp.claims = { sub: `grower-${++subjects}`, email: "grower@corp.example", email_verified: true };
  idp.asked.length = 0;
});

/** A browser of somebody who has connected the provider's present user. */
async function connected() {
  const { browser, person } = await member();
  await browser.prove();
  await through(browser, "connect");
  return { browser, person };
}

const begin = async (browser: AuthBrowser, purpose = "sign-in") =>
  ((await browser.send("/oidc/begin", { purpose })) as { url: string }).url;
const finish = (browser: AuthBrowser, search: string) => browser.send("/oidc/finish", { search });
const through = async (browser: AuthBrowser, purpose = "sign-in") =>
  finish(browser, idp.search(await begin(browser, purpose)));
const list = async (browser: AuthBrowser) => auth.identities.list(await browser.session());
const stranger = () => new AuthBrowser(auth, ownJar());
const member = () => signedIn(auth, storage, ownJar());
/** Of a network of its own. */
function ownJar(): CookieJar {
  const jar = new CookieJar();
  jar.address = `10.0.${jars >> 8}.${jars++ & 255}`;
  return jar;
}

describe("an identity", () => {
  test("that was connected signs its person in for a day and no longer, without a code, whatever the browser remembers", async () => {
    const { person } = await connected();
    const browser = stranger();
    expect(await through(browser)).toEqual({ purpose: "sign-in", until: null });
    const session = await browser.session();
    expect([session.person.id, session.remembered, session.expiresAt]).toEqual([person.id, false, NOW + 86_400_000]);
    expect(browser.cookies.find((line) => line.includes("session_token"))).not.toContain("Max-Age");
    expect(await auditedActions(opened, person.id)).toEqual([
      "sign_in.succeeded",
      "identity.added",
      "sign_in.succeeded",
      "account.created",
    ]);
    setSystemTime(NOW + 86_400_000);
    expect(await browser.find()).toBeUndefined();
  });

  test("is its issuer and subject alone: another subject with the address of an account is nobody", async () => {
    const { person } = await member();
    idp.claims = { sub: "other", email: person.email, email_verified: true };
    const known = through(stranger());
    await expect(known).rejects.toMatchObject({ code: "identity-unknown" });
    idp.claims = { sub: "other", email: "nobody@nowhere.example", email_verified: true };
    const messages = [known, through(stranger())].map((end) => end.catch((error: Failure) => error.message));
    const [first, second] = await Promise.all(messages);
    expect(first).toBe(second as string);
  });

  test("is listed with its address as the provider said it, and its last use", async () => {
    const { browser } = await connected();
    setSystemTime(NOW + 60_000);
    await through(stranger());
    expect(await list(browser)).toEqual([
      expect.objectContaining({
        issuer: idp.issuer,
        email: "grower@corp.example",
        addedAt: NOW,
        lastUsedAt: NOW + 60_000,
      }),
    ]);
  });

  test("is connected with the address that userinfo alone has", async () => {
    idp.spoilt = { claims: { email: undefined } };
    const { browser } = await connected();
    expect(await list(browser)).toMatchObject([{ email: "grower@corp.example" }]);
  });

  test("of one person is refused to another, and spends no proof", async () => {
    await connected();
    const other = await member();
    await other.browser.prove();
    await expect(through(other.browser, "connect")).rejects.toMatchObject({ code: "identity-taken" });
    expect((await other.browser.session()).proof?.kind).toBe("asked");
  });

  test("is connected once of two at the same moment, and one proof connects one", async () => {
    const { browser } = await member();
    await browser.prove();
    const copy = new AuthBrowser(auth, browser.jar.copy());
    const [first, second] = [idp.search(await begin(browser, "connect")), idp.search(await begin(copy, "connect"))];
    const ends = await Promise.allSettled([finish(browser, first), finish(copy, second)]);
    expect(ends.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(1);
    expect(await list(browser)).toHaveLength(1);
    await expect(begin(browser, "connect")).rejects.toMatchObject({ code: "proof-needed" });
  });

  test("is one of five at most", async () => {
    const { browser } = await member();
    for (let count = 0; count <= IDENTITIES.each; count++) {
      idp.claims = { sub: `many-${count}` };
      browser.jar.address = `192.0.2.${count}`;
      await browser.prove();
      const connecting = through(browser, "connect");
      if (count < IDENTITIES.each) await connecting;
      else await expect(connecting).rejects.toMatchObject({ code: "account-limit" });
    }
  });

  test("that is removed signs nobody in, not even who had begun before", async () => {
    const { browser } = await connected();
    const elsewhere = stranger();
    const search = idp.search(await begin(elsewhere));
    const [identity] = await list(browser);
    await browser.prove();
    await auth.identities.remove(await browser.session(), identity?.id ?? "");
    expect(await list(browser)).toEqual([]);
    await expect(finish(elsewhere, search)).rejects.toMatchObject({ code: "identity-unknown" });
    const again = auth.identities.remove(await browser.session(), identity?.id ?? "");
    await expect(again).rejects.toMatchObject({ code: "resource-unknown" });
  });

  test("that is the last way in is not removed, nor is a passkey; a new password makes room for it", async () => {
    const { browser, person } = await connected();
    const device = new SoftwareAuthenticator(browser.jar.origin);
    await browser.register(device);
    await storage.db.updateTable("people").set({ password: null }).where("id", "=", person.id).execute();
    const [identity] = await list(browser);
    const prove = () => through(browser, "proof");
    await prove();
    await auth.identities.remove(await browser.session(), identity?.id ?? "");
    await browser.send("/passkey/list-user-passkeys");
    const [passkey] = (await browser.send("/passkey/list-user-passkeys")) as unknown as { id: string }[];
    await auth.proofs.keep(await browser.session());
    const removal = browser.send("/passkey/delete-passkey", { id: passkey?.id });
    await expect(removal).rejects.toMatchObject({ code: "last-way-in" });
    expect((await browser.session()).proof?.kind).toBe("asked");
    await browser.send("/change-password", { newPassword: "seven orange garden gnomes" });
    await auth.proofs.keep(await browser.session());
    await browser.send("/passkey/delete-passkey", { id: passkey?.id });
    await stranger().signIn(person, { password: "seven orange garden gnomes" });
  });

  test("stays after a new password unless that removes it, and a sign-in under way does not outlive its removal", async () => {
    const { browser, person } = await connected();
    const form = { currentPassword: "monstera in the rain", newPassword: "seven orange garden gnomes" };
    expect(await browser.send("/change-password", form)).toMatchObject({ identities: 1 });
    await through(stranger());
    const elsewhere = stranger();
    const search = idp.search(await begin(elsewhere));
    const again = {
      currentPassword: form.newPassword,
      newPassword: "eight orange garden gnomes",
      removeIdentities: true,
    };
    expect(await browser.send("/change-password", again)).toMatchObject({ identities: 0 });
    await expect(finish(elsewhere, search)).rejects.toMatchObject({ code: "identity-unknown" });
    await stranger().signIn(person, { password: again.newPassword });
  });
});

describe("the proof by a provider", () => {
  test("is that of the same identity, which the provider is told to ask for anew, and counts as asked for", async () => {
    const { browser } = await connected();
    const url = new URL(await begin(browser, "proof"));
    expect([url.searchParams.get("prompt"), url.searchParams.get("max_age")]).toEqual(["login", "0"]);
    const { until } = (await finish(browser, idp.search(url.href))) as { until: string };
    expect(Date.parse(until)).toBe(NOW + 15 * 60_000);
    expect((await browser.session()).proof?.kind).toBe("asked");
  });

  test.each([
    [undefined, "login"],
    [["none", "login"], "login"],
    [["none", "consent", "select_account"], null],
  ])("is asked of a provider that lists %j with prompt=%s", async (prompts, prompt) => {
    const { browser } = await connected();
    idp.metadata = { prompt_values_supported: prompts };
    const asked = new URL(await begin(browser, "proof")).searchParams;
    expect([asked.get("prompt"), asked.get("max_age")]).toEqual([prompt, "0"]);
  });

  test.each([
    ["of another identity", { sub: "somebody-else" }],
    ["of a sign-in a quarter of an hour ago", { auth_time: NOW / 1000 - 16 * 60 }],
    ["of a clock that is far ahead", { auth_time: NOW / 1000 + 16 * 60 }],
  ])("is none %s", async (_, claims) => {
    const { browser } = await connected();
    await through(browser, "proof");
    const before = (await browser.session()).proof;
    setSystemTime(NOW + 1000);
    idp.spoilt = { claims: "auth_time" in claims ? claims : {} };
    if ("sub" in claims) idp.claims = claims;
    await expect(through(browser, "proof")).rejects.toMatchObject(REFUSED);
    expect((await browser.session()).proof).toEqual(before);
  });

  test("is none of an identity that another person has", async () => {
    const { browser } = await connected();
    idp.claims = { sub: "of another person" };
    await connected();
    await expect(through(browser, "proof")).rejects.toMatchObject(REFUSED);
  });

  test("is taken of a provider that asked its user ten minutes ago", async () => {
    const { browser } = await connected();
    idp.spoilt = { claims: { auth_time: NOW / 1000 - 600 } };
    await through(browser, "proof");
  });
});

/** The claims of an ID token, as changed. */
const claims = (changed: Record<string, unknown>) => () => ({ claims: changed });
const seconds = () => Math.floor(Date.now() / 1000);

const REFUSALS: readonly (readonly [name: string, spoil: () => TestIdentityProvider["spoilt"]])[] = [
  ["another state", () => ({ back: { state: "another" } })],
  ["no state", () => ({ back: { state: undefined } })],
  ["the issuer of another provider in the answer", () => ({ back: { iss: "https://mixed.example" } })],
  ["no issuer in the answer, though the provider sends one", () => ({ back: { iss: undefined } })],
  ["no code", () => ({ back: { code: undefined } })],
  ["a code that the provider does not know", () => ({ back: { code: "guessed" } })],
  ["that it was cancelled", () => ({ back: { code: undefined, error: "access_denied" } })],
  ["a signature of another key", () => ({ key: foreignKey() })],
  ["a key that is not published", () => ({ header: { kid: "unknown" } })],
  ["no signature", () => ({ header: { alg: "none" }, secret: "" })],
  ["an HMAC by the client's secret", () => ({ header: { alg: "HS256" }, secret: "the secret" })],
  ["an algorithm that is not listed", () => ({ header: { alg: "RS256" } })],
  ["another issuer in the ID token", claims({ iss: "https://other.example" })],
  ["another audience", claims({ aud: "another-client" })],
  ["several audiences without this one as the authorized party", claims({ aud: ["plants", "x"], azp: "x" })],
  ["several audiences without an authorized party", claims({ aud: ["plants", "x"] })],
  ["an ID token that ended a minute ago", () => ({ claims: { exp: seconds() - 60 } })],
  ["no end", claims({ exp: undefined })],
  ["another nonce", claims({ nonce: "another" })],
  ["no nonce", claims({ nonce: undefined })],
  ["no subject", claims({ sub: undefined })],
  ["a subject of 256 characters", claims({ sub: "s".repeat(256) })],
  ["a subject without characters", claims({ sub: "" })],
  ["a subject that cannot be kept", claims({ sub: "a\u0000b" })],
  ["no ID token", () => ({ answers: { "/token": { access_token: "a-secret-token", token_type: "Bearer" } } })],
  ["tokens that are none", () => ({ answers: { "/token": { id_token: "a-secret-token" } } })],
  [
    "another subject at userinfo",
    () => ({ answers: { "/userinfo": { sub: "somebody-else" } }, claims: { email: undefined } }),
  ],
];

test.each(["the first", "the second"])("two windows may each begin, and both end well, %s first", async (which) => {
  const { person } = await connected();
  const browser = stranger();
  const searches = [idp.search(await begin(browser)), idp.search(await begin(browser))];
  if (which === "the second") searches.reverse();
  for (const search of searches) {
    await finish(browser, search);
    expect((await browser.session()).person.id).toBe(person.id);
  }
  expect(browser.jar.client.headers.get("cookie")).not.toContain("provider-");
});

describe("an answer is refused", () => {
  test.each(REFUSALS)("for %s, in one sentence, and the log has a cause without a secret", async (_, spoil) => {
    idp.spoilt = spoil();
    const browser = stranger();
    const search = idp.search(await begin(browser));
    const refused = (await finish(browser, search).catch((error: unknown) => error)) as Failure;
    expect([refused.code, refused.message]).toEqual([
      "identity-refused",
      "The answer of the identity provider cannot be taken, or the sign-in was cancelled there: begin again",
    ]);
    const { message } = refused.detail.cause as Error;
    expect(message).toStartWith("The answer was refused: ");
    const code = new URLSearchParams(search).get("code");
    for (const secret of ["a-secret-token", "the secret", ...(code ? [code] : [])])
      expect(message).not.toContain(secret);
    expect(await browser.find()).toBeUndefined();
  });

  test("that names an error of a stranger's own invention, which the log does not repeat", async () => {
    const causeOf = async (error: string) => {
      const browser = stranger();
      const search = idp.search(await begin(browser), { code: undefined, error });
      const refused = (await finish(browser, search).catch((thrown: unknown) => thrown)) as Failure;
      return (refused.detail.cause as Error).message;
    };
    expect(await causeOf("access_denied")).toContain("access_denied");
    expect(await causeOf("made_up")).toBe(await causeOf("another"));
  });

  test("for a listed algorithm without a signature, or by a shared secret, too", async () => {
    idp.metadata = { id_token_signing_alg_values_supported: ["none", "HS256", "ES256"] };
    for (const spoilt of [
      { header: { alg: "none" }, secret: "" },
      { header: { alg: "HS256" }, secret: "the secret" },
    ]) {
      idp.spoilt = spoilt;
      await expect(through(stranger())).rejects.toMatchObject(REFUSED);
    }
  });

  test("that was taken before, also by a copy of the browser, and by a provider that takes a code twice", async () => {
    await connected();
    const browser = stranger();
    const copy = new AuthBrowser(auth, browser.jar.copy());
    const url = await begin(browser);
    const later = new AuthBrowser(auth, browser.jar.copy());
    const search = idp.search(url);
    await finish(browser, search);
    await expect(finish(browser, search)).rejects.toMatchObject(REFUSED);
    await expect(finish(copy, search)).rejects.toMatchObject(REFUSED);
    await expect(finish(later, idp.search(url))).rejects.toMatchObject(REFUSED);
  });

  test("by another verifier than that of its beginning", async () => {
    await connected();
    const [browser, other] = [stranger(), stranger()];
    const [url, foreign] = [await begin(browser), await begin(other)];
    const state = new URL(url).searchParams.get("state") ?? "";
    await expect(finish(browser, idp.search(foreign, { state }))).rejects.toMatchObject(REFUSED);
  });

  test("ten minutes after its beginning, in another browser, and in one whose cookie was altered", async () => {
    await connected();
    const browser = stranger();
    const search = idp.search(await begin(browser));
    await expect(finish(stranger(), search)).rejects.toMatchObject(REFUSED);
    const altered = new AuthBrowser(auth, browser.jar.copy());
    const name = `provider-${new URLSearchParams(search).get("state")}`;
    altered.jar.set(name, `x${browser.jar.cookie(name)}`);
    await expect(finish(altered, search)).rejects.toMatchObject(REFUSED);
    setSystemTime(NOW + 10 * 60_000 + 1);
    await expect(finish(browser, search)).rejects.toMatchObject(REFUSED);
  });

  test("and its cookie ends with it", async () => {
    const browser = stranger();
    const refused = (await finish(browser, idp.search(await begin(browser), { code: "guessed" })).catch(
      (error: unknown) => error,
    )) as Failure;
    expect(refused.detail.headers?.["Set-Cookie"]).toMatch(
      /^__Host-plantstore.provider-[\w-]{43}=; Path=\/; Max-Age=0/,
    );
  });

  test("if the session that began it is over, or another one", async () => {
    const { browser, person } = await connected();
    const search = idp.search(await begin(browser, "proof"));
    const other = new AuthBrowser(auth, browser.jar.copy());
    await other.signIn(person);
    await expect(finish(other, search)).rejects.toMatchObject(REFUSED);
    const { browser: third } = await member();
    const again = idp.search(await begin(third, "proof"));
    const signedOut = new AuthBrowser(auth, third.jar.copy());
    await third.send("/sign-out");
    await expect(finish(signedOut, again)).rejects.toMatchObject({ code: "session-missing" });
  });

  test("if it ends ten seconds ago it is taken, since clocks differ", async () => {
    await connected();
    idp.spoilt = { claims: { exp: seconds() - 10 } };
    await through(stranger());
  });
});

describe("what the provider says of itself", () => {
  test("must be the issuer that was set, to the last slash: the log has both", async () => {
    const other = openAuth(storage, { identities: identities({ issuer: `${idp.issuer}/` }) });
    const refused = await new AuthBrowser(other, ownJar())
      .send("/oidc/begin", { purpose: "sign-in" })
      .catch((error) => error);
    expect(refused).toMatchObject(REFUSED);
    expect(refused.detail.cause.message).toContain(
      `OIDC_ISSUER is ${idp.issuer}/, and the provider calls itself ${idp.issuer}`,
    );
    idp.metadata = { issuer: "https://{tenant}.example" };
    const template = await begin(stranger()).catch((error) => error);
    expect(template).toMatchObject(REFUSED);
    expect(template.detail.cause.message).toContain("the provider calls itself https://{tenant}.example");
  });

  test.each([
    { scopes_supported: 1 },
    { scopes_supported: { toString: 1 } },
    { prompt_values_supported: { toString: 1 } },
    { token_endpoint_auth_methods_supported: 1 },
    { userinfo_endpoint: { toString: 1 } },
    { issuer: { toString: 1 } },
  ])("may be of any kind, and is no fault: %j", async (metadata) => {
    idp.metadata = metadata;
    const end = await through(stranger()).catch((error: Failure) => error.code);
    expect(["identity-refused", "identity-unknown"]).toContain(end as string);
  });

  test("is read anew for each sign-in: a key that was rotated between begin and finish is known", async () => {
    await connected();
    const browser = stranger();
    const search = idp.search(await begin(browser));
    idp.rotate();
    await finish(browser, search);
    idp.rotate();
    await through(stranger());
  });

  test("names how the client shows who it is: by its header, in the form, or without a secret not at all", async () => {
    await connected();
    const sent = () => idp.asked.find((each) => each.startsWith("/token")) ?? "";
    const header = () => idp.headers.at(idp.asked.indexOf(sent()) - idp.asked.length)?.get("authorization");
    await through(stranger());
    expect(header()).toBe(`Basic ${btoa("plants:the+secret")}`);
    expect(sent()).not.toContain("client_secret");
    idp.asked.length = 0;
    idp.metadata = { token_endpoint_auth_methods_supported: ["client_secret_post"] };
    await through(stranger());
    expect(sent()).toContain("client_secret=the+secret");
    idp.asked.length = 0;
    const open = openAuth(storage, { identities: identities({ clientSecret: undefined as unknown as string }) });
    const browser = new AuthBrowser(open);
    await finish(browser, idp.search(await begin(browser)));
    expect(sent()).not.toContain("client_secret");
  });

  test("is asked for the scopes of everybody, for that of a claim where it has one, and leads back to the sign-in", async () => {
    const asked = new URL(await begin(stranger())).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      client_id: "plants",
      redirect_uri: "https://plants.example/dashboard/sign-in",
      scope: "openid email profile groups",
      code_challenge_method: "S256",
    });
    idp.metadata = { scopes_supported: ["openid"] };
    expect(new URL(await begin(stranger())).searchParams.get("scope")).toBe("openid email profile");
  });
});

describe("strangers", () => {
  test("write no row however often they begin, and are limited to 20 a minute for each network", async () => {
    const rows = async () => (await storage.db.selectFrom("attempts").select("key").execute()).length;
    const before = await rows();
    const browser = stranger();
    browser.jar.address = "198.51.100.9";
    for (let times = 0; times < 20; times++) await begin(browser);
    await expect(begin(browser)).rejects.toMatchObject({ code: "rate-limited" });
    browser.jar.address = "198.51.100.10";
    await begin(browser);
    expect(await rows()).toBe(before);
  });

  test("are not counted as guessing while the provider is down: passwords sign in from the same network", async () => {
    Object.assign(idp, { mode: "down", place: "/token" });
    const address = "198.51.100.77";
    for (let times = 0; times <= SIGN_IN_BY_ADDRESS.max; times++) {
      const browser = stranger();
      const search = idp.search(await begin(browser));
      browser.jar.address = address;
      await expect(finish(browser, search)).rejects.toMatchObject({ code: "provider-unavailable" });
    }
    const { person } = await member();
    const browser = stranger();
    browser.jar.address = address;
    await browser.signIn(person);
  });

  test("are refused after forty answers of a network that were no good, before the provider is asked", async () => {
    const address = "198.51.100.78";
    const guess = async () => {
      const browser = stranger();
      const search = idp.search(await begin(browser), { code: "guessed" });
      browser.jar.address = address;
      return finish(browser, search).catch((error: Failure) => error.code);
    };
    for (let times = 0; times < SIGN_IN_BY_ADDRESS.max; times++) expect(await guess()).toBe("identity-refused");
    const asked = idp.asked.filter((each) => each.startsWith("/token")).length;
    expect(await guess()).toBe("rate-limited");
    expect(idp.asked.filter((each) => each.startsWith("/token"))).toHaveLength(asked);
  });

  /** How twelve who ask at once end at a provider that is out of order at that place alone. */
  async function endsAt(place: string, mode: TestIdentityProvider["mode"]) {
    const own = new TestIdentityProvider();
    own.claims = { sub: "without an address" };
    const at = openAuth(storage, { identities: identities({ issuer: own.issuer }) });
    const browsers = Array.from({ length: 12 }, () => new AuthBrowser(at, ownJar()));
    const searches = new Map<AuthBrowser, string>();
    if (place !== DISCOVERY) for (const each of browsers) searches.set(each, own.search(await begin(each)));
    Object.assign(own, { mode, place });
    const asking = browsers.map((each) => {
      const search = searches.get(each);
      return (search === undefined ? begin(each) : finish(each, search)).catch((error: Failure) => error.code);
    });
    const asked = () => own.asked.filter((each) => each.startsWith(place)).length;
    await eventually("it is asked", () => asked() > 0);
    return { codes: await Promise.race([Promise.all(asking), Bun.sleep(5000)]), asked: asked() };
  }
  const DISCOVERY = "/.well-known/openid-configuration";

  test.each(["silent", "slow"] as const)(
    "are told within five seconds that a provider is %s, wherever it is so; eight ask at once",
    async (mode) => {
      const ends = await Promise.all([DISCOVERY, "/token", "/keys", "/userinfo"].map((place) => endsAt(place, mode)));
      const codes = [...Array(8).fill("provider-unavailable"), ...Array(4).fill("rate-limited")];
      expect(ends.map((end) => [end.codes?.toSorted(), end.asked])).toEqual(Array(4).fill([codes, 8]));
    },
    60_000,
  );

  test.each(["endless", "down"] as const)("are told that a provider is %s, wherever it is so", async (mode) => {
    const ends = await Promise.all([DISCOVERY, "/token", "/keys", "/userinfo"].map((place) => endsAt(place, mode)));
    for (const { codes } of ends) expect(codes).toContain("provider-unavailable");
    for (const { codes } of ends) expect(codes).not.toContain("identity-refused");
  });
});

describe("with OIDC_MEMBERS", () => {
  const RULES = "groups:growers=editor,groups:it=owner";
  let notices: string[];
  let store: Store;
  beforeEach(async () => {
    notices = [];
    const observer = { failed() {}, count() {}, notice: (text: string) => void notices.push(text) };
    auth = openAuth(storage, { observer, identities: { ...identities(), members: parseMemberRules(RULES) ?? [] } });
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
    auth = openAuth(own.storage, { identities: { ...identities(), members: parseMemberRules("owner") ?? [] } });
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

describe("an invitation", () => {
  async function invited(email = `${crypto.randomUUID()}@corp.example`) {
    const { browser, person } = await member();
    const { caller } = await browser.session();
    const { secret } = await auth.invitations.make(
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
    expect((await auth.invitations.find(stranger().client, token)).email).toBe(person.email);
  });

  test("with OIDC_ONLY is not taken with a password", async () => {
    const { token } = await invited();
    const only = openAuth(storage, { identities: { ...identities(), only: true } });
    const form = { token, name: "Ada", password: "seven orange garden gnomes" };
    const joined = only.signUps.join(stranger().client, undefined, form);
    await expect(joined).rejects.toMatchObject({ code: "provider-required" });
    await auth.invitations.find(stranger().client, token);
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
    expect(await auth.identities.keptOut()).toBe(0);
  });
});

test("without a provider there is nothing to begin or to finish", async () => {
  const none = new AuthBrowser(openAuth(storage));
  await expect(none.send("/oidc/begin", { purpose: "sign-in" })).rejects.toMatchObject({ code: "address-unknown" });
  await expect(none.send("/oidc/finish", { search: "?code=x" })).rejects.toMatchObject({ code: "address-unknown" });
});
