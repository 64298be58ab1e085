import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import type { Account } from "#core/account.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { ChallengeCookie } from "./challenge-cookie.ts";
import { DeviceCookie } from "./device-cookie.ts";
import { type PendingSignIn, PendingSignInCookie } from "./pending-sign-in.ts";
import { SignedCookies } from "./signed-cookies.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const MINUTE_MS = 60_000;
const ORIGIN = "https://plants.example";
const cookies = new SignedCookies("a secret of the tests");

beforeEach(() => void setSystemTime(NOW));
afterEach(() => void setSystemTime());

/** A browser that was given these `Set-Cookie` lines. */
function browser(...lines: string[]): ClientInfo {
  const headers = new Headers({ Cookie: lines.map((line) => line.split("; ")[0]).join("; ") });
  return { origin: ORIGIN, address: "192.0.2.1", headers };
}

const later = (ms: number) => setSystemTime(NOW + ms);
const account = (id: string) => ({ id }) as Partial<Account> as Account;

/** The same cookie signed by somebody who does not know SECRET. */
const forged = (line: string) => line.replace(/.(?=; )/, (last) => (last === "A" ? "B" : "A"));

describe("a passkey's challenge", () => {
  const challenges = new ChallengeCookie(cookies);

  test("is answered within five minutes by the browser that was given it", () => {
    const given = browser(challenges.write(browser(), "abc", "sign in"));
    expect(challenges.read(given, "sign in")).toBe("abc");
    later(5 * MINUTE_MS - 1);
    expect(challenges.read(given, "sign in")).toBe("abc");
    later(5 * MINUTE_MS);
    expect(challenges.read(given, "sign in")).toBeUndefined();
    expect(challenges.read(browser(), "sign in")).toBeUndefined();
  });

  test("for a sign-in does not register a passkey, and the other way round", () => {
    expect(challenges.read(browser(challenges.write(browser(), "abc", "sign in")), "register")).toBeUndefined();
    expect(challenges.read(browser(challenges.write(browser(), "abc", "register")), "sign in")).toBeUndefined();
  });

  test("is gone once it is cleared", () => {
    expect(challenges.clear(browser())).toContain("Max-Age=0");
    expect(challenges.read(browser(challenges.clear(browser())), "sign in")).toBeUndefined();
  });
});

describe("a browser that an account signed in from", () => {
  const devices = new DeviceCookie(cookies);

  test("keeps its number at each sign-in, for its own account alone", () => {
    const first = browser(devices.write(browser(), account("a")));
    const number = devices.numberOf(first, account("a"));
    const again = browser(devices.write(first, account("a")));
    expect(number).toMatch(/^[0-9a-f-]{36}$/);
    expect(devices.numberOf(again, account("a"))).toBe(number);
    expect([devices.knows(again, account("a")), devices.knows(again, account("b"))]).toEqual([true, false]);
    expect(devices.numberOf(browser(devices.write(again, account("b"))), account("b"))).not.toBe(number);
  });

  test("cannot be invented", () => {
    const line = devices.write(browser(), account("a"));
    expect(devices.knows(browser(forged(line)), account("a"))).toBe(false);
    const others = new DeviceCookie(new SignedCookies("another secret"));
    expect(others.knows(browser(line), account("a"))).toBe(false);
  });
});

describe("a sign-in whose second factor is still to come", () => {
  const halves = new PendingSignInCookie(cookies);
  const half: PendingSignIn = { accountId: "a", epoch: 3, remembered: true };

  test.each([half, { ...half, remembered: false }, { ...half, epoch: 0 }])("is read as it was: %p", (given) => {
    expect(halves.read(browser(halves.write(browser(), given)))).toEqual(given);
  });

  test("is over after ten minutes", () => {
    const given = browser(halves.write(browser(), half));
    later(10 * MINUTE_MS - 1);
    expect(halves.read(given)).toEqual(half);
    later(10 * MINUTE_MS);
    expect(halves.read(given)).toBeUndefined();
  });

  test("is none without its cookie, with a forged one, and with a cookie of another name", () => {
    expect(halves.read(browser())).toBeUndefined();
    expect(halves.read(browser(forged(halves.write(browser(), half))))).toBeUndefined();
    const renamed = new DeviceCookie(cookies).write(browser(), account("a")).replace(".device=", ".two_factor=");
    expect(halves.read(browser(renamed))).toBeUndefined();
  });
});
