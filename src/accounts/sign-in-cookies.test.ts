import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import type { ClientInfo } from "#core/client-info.ts";
import { MINUTE_MS } from "#core/duration.ts";
import type { Person } from "#core/person.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { NOW } from "#test/support/open-test-auth.ts";
import { hasCookie, type PendingSignIn, SignInCookies } from "./sign-in-cookies.ts";

const [HTTPS, HTTP] = ["https://plants.example", "http://127.0.0.1:3000"];
const cookies = new SignInCookies(async () => "a secret of the tests");
const others = new SignInCookies(async () => "another secret");

beforeEach(() => void setSystemTime(NOW));
afterEach(() => void setSystemTime());

/** A browser at that origin that was given these `Set-Cookie` lines. */
function browserAt(origin: string, ...lines: string[]): ClientInfo {
  const headers = new Headers({ Cookie: lines.map((line) => line.split("; ")[0]).join("; ") });
  return { origin, address: "192.0.2.1", headers };
}
const browser = (...lines: string[]) => browserAt(HTTPS, ...lines);

const later = (ms: number) => setSystemTime(NOW + ms);
const personOf = (id: string) => ({ id }) as Partial<Person> as Person;

describe("a cookie", () => {
  test.each(["session_token", "two_factor", "passkey", "trusted_device", "device"] as const)(
    "%s is read as it was written, over both schemes",
    async (name) => {
      const value = "a.b:c=d; ü%";
      for (const origin of [HTTPS, HTTP]) {
        const line = await cookies.write(browserAt(origin), name, value);
        expect(await cookies.read(browserAt(origin, line), name)).toBe(value);
      }
    },
  );

  test("that was signed with a former secret is read, and is written with the present one", async () => {
    const both = new SignInCookies(async () => "another secret", "a secret of the tests");
    expect(await both.read(browser(await cookies.write(browser(), "device", "7")), "device")).toBe("7");
    expect(await others.read(browser(await both.write(browser(), "device", "7")), "device")).toBe("7");
  });

  test("that was altered, cut, or signed with another secret is none", async () => {
    const line = await cookies.write(browser(), "device", "7");
    const broken = [
      line.replace("=7.", "=8."),
      line.replace(/\.([^;]{10})[^;]*/, ".$1"),
      line.replace(/=7\.[^;]*/, "=7"),
      line.replace(/=7\.[^;]*/, "=.7"),
      line.replace(/=7\.[^;]*/, "=%E0%A4%A"),
      await others.write(browser(), "device", "7"),
    ];
    for (const each of broken) expect(await cookies.read(browser(each), "device")).toBeUndefined();
  });

  test("does not pass for one of another name, nor one of HTTP for one of HTTPS", async () => {
    const line = await cookies.write(browser(), "device", "7");
    const renamed = browser(line.replace("device", "trusted_device"));
    expect(await cookies.read(renamed, "trusted_device")).toBeUndefined();
    expect(await cookies.read(browserAt(HTTP, line), "device")).toBeUndefined();
  });

  test("is found among others, and its name is not taken for the end of another", async () => {
    const other = `x__Host-plantstore.device=1; ${"y".repeat(100)}=2`;
    expect(await cookies.read(browser(other, await cookies.write(browser(), "device", "7")), "device")).toBe("7");
  });

  test("is looked for without reading the others, in a header of at most 8,192 characters", async () => {
    const [own = ""] = (await cookies.write(browser(), "device", "7")).split("; ");
    const sent = (...parts: string[]) => ({ ...browser(), headers: new Headers({ Cookie: parts.join(";") }) });
    const others = "a=%;".repeat(2000);
    expect(await cookies.read(sent(others, own, " b=1"), "device")).toBe("7");
    expect(await cookies.read(sent(own, "x".repeat(8192 - 1 - own.length)), "device")).toBe("7");
    expect(await cookies.read(sent(own, "x".repeat(8192 - own.length)), "device")).toBeUndefined();
    const readMs = async () => {
      const began = performance.now();
      for (let reads = 0; reads < 100; reads++) await cookies.read(sent(others), "device");
      return performance.now() - began;
    };
    // A parser of all of them takes 0.3 ms for each header.
    const rounds = [await readMs(), await readMs(), await readMs(), await readMs()];
    expect(Math.min(...rounds)).toBeLessThan(15);
  });

  test("of something under way that a clock which was far ahead has set is none", async () => {
    const state = "s".repeat(43);
    const begun = { state, nonce: "n", verifier: "v", purpose: "sign-in", sessionId: "" } as const;
    later(60 * MINUTE_MS);
    const client = browser(
      ...(await cookies.writeProvider(browser(), begun)),
      await cookies.writePending(browser(), { personId: "7", epoch: 0, remembered: true }),
      await cookies.writeChallenge(browser(), "challenge", "register"),
    );
    const all = () =>
      Promise.all([
        cookies.readProvider(client, state),
        cookies.readPending(client),
        cookies.readChallenge(client, "register"),
      ]);
    expect(await all()).not.toContain(undefined);
    later(0);
    expect(await all()).toEqual([undefined, undefined, undefined]);
  });

  test("that is cleared ends at once", async () => {
    expect(cookies.clear(browser(), "session_token")).toContain("=; Path=/; Max-Age=0; ");
    const given = browser(await cookies.write(browser(), "device", "7"));
    expect([hasCookie(given, "session_token"), hasCookie(given, "device")]).toEqual([false, true]);
  });
});

describe("a passkey's challenge", () => {
  test("is answered within five minutes by the browser that was given it", async () => {
    const given = browser(await cookies.writeChallenge(browser(), "abc", "sign in"));
    later(5 * MINUTE_MS - 1);
    expect(await cookies.readChallenge(given, "sign in")).toBe("abc");
    later(5 * MINUTE_MS);
    expect(await cookies.readChallenge(given, "sign in")).toBeUndefined();
    expect(await cookies.readChallenge(browser(), "sign in")).toBeUndefined();
  });

  test.each([
    ["sign in", "register"],
    ["register", "sign in"],
  ] as const)("for %p is none to %s", async (purpose, other) => {
    const given = browser(await cookies.writeChallenge(browser(), "abc", purpose));
    expect(await cookies.readChallenge(given, other)).toBeUndefined();
  });
});

describe("a browser that an account signed in from", () => {
  test("keeps its number at each sign-in, for its own account alone", async () => {
    const first = browser(await cookies.writeDevice(browser(), personOf("a")));
    const number = await cookies.knownDevice(first, personOf("a"));
    const again = browser(await cookies.writeDevice(first, personOf("a")));
    expect(number).toMatch(/^[0-9a-f-]{36}$/);
    expect(await cookies.knownDevice(again, personOf("a"))).toBe(number);
    expect(await cookies.knownDevice(again, personOf("b"))).toBeUndefined();
    const others = browser(await cookies.writeDevice(again, personOf("b")));
    expect(await cookies.knownDevice(others, personOf("b"))).not.toBe(number);
  });
});

describe("a sign-in whose second factor is still to come", () => {
  const half: PendingSignIn = { personId: "a", epoch: 3, remembered: true };

  test.each([half, { ...half, remembered: false }, { ...half, epoch: 0 }])("is read as it was: %p", async (given) => {
    expect(await cookies.readPending(browser(await cookies.writePending(browser(), given)))).toEqual(given);
  });
});

describe("sign-ins begun at the provider", () => {
  const stateOf = (letter: string) => letter.repeat(43);
  const begin = (client: ClientInfo, letter: string) =>
    cookies.writeProvider(client, {
      state: stateOf(letter),
      nonce: letter,
      verifier: "v",
      purpose: "sign-in",
      sessionId: "",
    });

  test("stand beside each other, five at most in a browser, of which the oldest goes", async () => {
    const jar = new CookieJar(HTTPS);
    for (const letter of "abcdefg") jar.take(await begin(jar.client, letter));
    const found = await Promise.all([..."abcdefg"].map((letter) => cookies.readProvider(jar.client, stateOf(letter))));
    expect(found.map((begun) => begun?.nonce)).toEqual([undefined, undefined, "c", "d", "e", "f", "g"]);
  });

  test("end one by one, and no text of a stranger is written as a cookie's name", async () => {
    const jar = new CookieJar(HTTPS);
    for (const letter of "ab") jar.take(await begin(jar.client, letter));
    expect(cookies.clearProvider(jar.client, "x; Domain=evil.example")).toEqual([]);
    expect(cookies.clearProvider(jar.client, stateOf("c"))).toEqual([]);
    jar.take(cookies.clearProvider(jar.client, stateOf("a")));
    expect(await cookies.readProvider(jar.client, stateOf("a"))).toBeUndefined();
    expect(await cookies.readProvider(jar.client, stateOf("b"))).toMatchObject({ nonce: "b" });
  });

  test("are not good for one another's state", async () => {
    const [line = ""] = await begin(browser(), "a");
    const renamed = browser(line.replace(stateOf("a"), stateOf("b")));
    expect(await cookies.readProvider(renamed, stateOf("b"))).toBeUndefined();
  });
});
