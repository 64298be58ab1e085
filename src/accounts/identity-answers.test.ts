import { describe, expect, setSystemTime, test } from "bun:test";
import type { Failure } from "#core/failure.ts";
import { AuthBrowser, openAuth } from "#test/support/auth-browser.ts";
import { foreignKey, type TestIdentityProvider } from "#test/support/identity-provider.ts";
import { openIdentityWorld, REFUSED } from "#test/support/identity-world.ts";
import { NOW } from "#test/support/open-test-auth.ts";

const world = await openIdentityWorld();
const { storage, idp, identities, connected, begin, finish, through, stranger, member, ownJar } = world;

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
    const copy = new AuthBrowser(world.auth, browser.jar.copy());
    const url = await begin(browser);
    const later = new AuthBrowser(world.auth, browser.jar.copy());
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
    const altered = new AuthBrowser(world.auth, browser.jar.copy());
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
    const other = new AuthBrowser(world.auth, browser.jar.copy());
    await other.signIn(person);
    await expect(finish(other, search)).rejects.toMatchObject(REFUSED);
    const { browser: third } = await member();
    const again = idp.search(await begin(third, "proof"));
    const signedOut = new AuthBrowser(world.auth, third.jar.copy());
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
