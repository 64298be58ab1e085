import { beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { DAY_MS, HOUR_MS } from "#core/duration.ts";
import type { Person } from "#core/person.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { NOW, openTestAuth } from "#test/support/open-test-auth.ts";
import { SessionService } from "./session-service.ts";
import { type CookieName, SignInCookies } from "./sign-in-cookies.ts";

const cookies = new SignInCookies(async () => "a secret of the tests");

const { opened, storage, tables } = await openTestAuth();
const sessions = new SessionService(tables, cookies);
let person: Person;
beforeEach(async () => {
  person = await opened.holder();
});

class Browser extends CookieJar {
  find() {
    return sessions.find(this.client);
  }
}

async function signedIn(remembered = true, browser = new Browser()): Promise<Browser> {
  const epoch = (await tables.credentials.epochOf(person.id)) ?? 0;
  browser.take(await sessions.open(browser.client, { person, epoch, remembered, method: "password" }));
  return browser;
}

/** Uses the session from time to time, as a person does. */
async function use(browser: Browser, ms: number, everyMs: number): Promise<void> {
  for (let passed = everyMs; passed <= ms; passed += everyMs) {
    setSystemTime(NOW + passed);
    browser.take((await browser.find())?.cookies ?? []);
  }
}

describe("a session", () => {
  test("of a clock that was far ahead has expired when the clock is right", async () => {
    setSystemTime(NOW + 2 * DAY_MS);
    const browser = await signedIn();
    expect(await browser.find()).toBeDefined();
    setSystemTime(NOW);
    expect(await browser.find()).toBeUndefined();
  });

  test("is not opened with what the database holds of it: its cookie is signed, and there is a hash of it alone", async () => {
    const browser = await signedIn();
    const { id, hash } = await storage.db
      .selectFrom("sessions")
      .select(["id", "hash"])
      .where("person", "=", person.id)
      .executeTakeFirstOrThrow();
    const signed = async (name: CookieName, value: string) =>
      (await cookies.write(browser.client, name, value)).split(/[=;]/, 2)[1] ?? "";
    const good = browser.cookie("session_token") ?? "";
    for (const value of [id, Buffer.from(hash).toString("hex"), Buffer.from(hash).toString("base64url")]) {
      for (const sent of [value, await signed("device", value), await signed("session_token", value)]) {
        browser.set("session_token", sent);
        expect(await browser.find()).toBeUndefined();
      }
    }
    browser.set("session_token", good);
    expect(await browser.find()).toBeDefined();
  });
});

describe("a browser", () => {
  test("is signed in until its session has ended, by whomever, or after a week without use", async () => {
    const [browser, other] = [await signedIn(), await signedIn()];
    expect(await sessions.isSignedIn(new Browser().client)).toBe(false);
    expect(await sessions.isSignedIn(browser.client)).toBe(true);
    await sessions.endOthers(await sessions.require(other.client));
    expect([await sessions.isSignedIn(browser.client), await sessions.isSignedIn(other.client)]).toEqual([false, true]);
    setSystemTime(NOW + 7 * DAY_MS - 1);
    expect(await sessions.isSignedIn(other.client)).toBe(true);
    setSystemTime(NOW + 7 * DAY_MS);
    expect([await sessions.isSignedIn(other.client), await other.find()]).toEqual([false, undefined]);
  });

  test("that is looked up without its session being used keeps the cookie's renewal for the next use", async () => {
    const browser = await signedIn();
    setSystemTime(NOW + HOUR_MS);
    expect(await sessions.isSignedIn(browser.client)).toBe(true);
    expect((await browser.find())?.cookies).toHaveLength(1);
  });
});

describe("the end of a session", () => {
  test("is put off by use, and comes after 30 days at the latest", async () => {
    const browser = await signedIn();
    await use(browser, 29 * DAY_MS, DAY_MS);
    expect((await browser.find())?.expiresAt).toBe(NOW + 30 * DAY_MS);
    setSystemTime(NOW + 30 * DAY_MS);
    expect(await browser.find()).toBeUndefined();
  });

  test("comes after a day where it is not remembered, however much it is used", async () => {
    const browser = await signedIn(false);
    await use(browser, 23 * HOUR_MS, HOUR_MS);
    expect((await browser.find())?.expiresAt).toBe(NOW + DAY_MS);
    setSystemTime(NOW + DAY_MS);
    expect(await browser.find()).toBeUndefined();
  });

  test("takes the session out of the list, also when nobody signed out", async () => {
    const browser = await signedIn();
    setSystemTime(NOW + 8 * DAY_MS);
    await browser.find();
    const other = await sessions.require((await signedIn()).client);
    expect((await sessions.list(other)).map(({ id }) => id)).toEqual([other.id]);
  });
});

describe("the cookie", () => {
  test("ends with the browser where the session is not remembered", async () => {
    const epoch = (await tables.credentials.epochOf(person.id)) ?? 0;
    const opening = { person, epoch, method: "password" } as const;
    const brief = await sessions.open(new Browser().client, { ...opening, remembered: false });
    const [cookie] = await sessions.open(new Browser().client, { ...opening, remembered: true });
    expect(brief[0]).not.toContain("Max-Age");
    expect(cookie).toContain(`Max-Age=${7 * 24 * 3600};`);
  });

  test("is sent anew no more often than every five minutes", async () => {
    const browser = await signedIn();
    setSystemTime(NOW + 5 * 60_000 - 1);
    expect((await browser.find())?.cookies).toEqual([]);
    setSystemTime(NOW + 5 * 60_000);
    expect((await browser.find())?.cookies).toHaveLength(1);
    expect((await browser.find())?.cookies).toEqual([]);
  });
});

describe("a sign-in", () => {
  test("ends the session that the browser had", async () => {
    const browser = await signedIn();
    const before = await browser.find();
    await signedIn(true, browser);
    const after = await browser.find();
    expect(after?.id).not.toBe(before?.id as string);
    expect((await sessions.list(await sessions.require(browser.client))).map(({ id }) => id)).toEqual([
      after?.id ?? "",
    ]);
  });

  test("is refused if the password was changed since it began", async () => {
    const epoch = (await tables.credentials.epochOf(person.id)) ?? 0;
    const opening = { person, epoch: epoch - 1, remembered: true, method: "password" } as const;
    await expect(sessions.open(new Browser().client, opening)).rejects.toMatchObject({ code: "sign-in-refused" });
  });
});
