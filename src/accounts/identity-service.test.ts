import { describe, expect, setSystemTime, test } from "bun:test";
import type { Failure } from "#core/failure.ts";
import { IDENTITIES } from "#storage/sign-in/identities.ts";
import { auditedActions } from "#test/support/audit.ts";
import { AuthBrowser, openAuth } from "#test/support/auth-browser.ts";
import { SoftwareAuthenticator } from "#test/support/authenticator.ts";
import { eventually } from "#test/support/eventually.ts";
import { TestIdentityProvider } from "#test/support/identity-provider.ts";
import { openIdentityWorld, REFUSED } from "#test/support/identity-world.ts";
import { NOW } from "#test/support/open-test-auth.ts";
import { SIGN_IN_BY_ADDRESS } from "./sign-in.ts";

const world = await openIdentityWorld();
const { opened, storage, idp, identities, connected, begin, finish, through, list, stranger, member, ownJar } = world;

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
    const copy = new AuthBrowser(world.auth, browser.jar.copy());
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
    await world.auth.identities.remove(await browser.session(), identity?.id ?? "");
    expect(await list(browser)).toEqual([]);
    await expect(finish(elsewhere, search)).rejects.toMatchObject({ code: "identity-unknown" });
    const again = world.auth.identities.remove(await browser.session(), identity?.id ?? "");
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
    await world.auth.identities.remove(await browser.session(), identity?.id ?? "");
    await browser.send("/passkey/list-user-passkeys");
    const [passkey] = (await browser.send("/passkey/list-user-passkeys")) as unknown as { id: string }[];
    await world.auth.proofs.keep(await browser.session());
    const removal = browser.send("/passkey/delete-passkey", { id: passkey?.id });
    await expect(removal).rejects.toMatchObject({ code: "last-way-in" });
    expect((await browser.session()).proof?.kind).toBe("asked");
    await browser.send("/change-password", { newPassword: "seven orange garden gnomes" });
    await world.auth.proofs.keep(await browser.session());
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

test("without a provider there is nothing to begin or to finish", async () => {
  const none = new AuthBrowser(openAuth(storage));
  await expect(none.send("/oidc/begin", { purpose: "sign-in" })).rejects.toMatchObject({ code: "address-unknown" });
  await expect(none.send("/oidc/finish", { search: "?code=x" })).rejects.toMatchObject({ code: "address-unknown" });
});
