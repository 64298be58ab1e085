import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { rmSync } from "node:fs";
import { DAY_MS, HOUR_MS } from "#core/duration.ts";
import type { SuggestedRenewal, Troubles } from "#test/support/acme-authority.ts";
import { eventually } from "#test/support/eventually.ts";
import { expectOneFailure, Renewal } from "#test/support/renewal.ts";
import { CertificateFolder } from "./certificate-folder.ts";

afterEach(() => void setSystemTime());

describe("an authority", () => {
  const limited = { status: 429, type: "rateLimited", detail: "too many certificates for plants.localhost" };
  test.each<[string, Troubles | "down", string]>([
    ["that limits", { refuses: limited }, "refuses: too many certificates for plants.localhost"],
    ["that gives a certificate of another key", { gives: "other-key" }, "is not the certificate of this key"],
    ["that gives a certificate for another name", { gives: "other-name" }, "without the name plants.localhost"],
    ["whose answer has no end", { hangs: "endless" }, "its answer is larger than 256 KiB"],
    ["that gives a certificate which begins later", { gives: "later" }, "the clock of this machine says"],
    ["whose clock is another", { clockMs: 86_400_000 }, "the clock of this machine says"],
    ["that is down", "down", "cannot be used: "],
  ])("%s is told of in one line, and asked again a minute later", async (_, troubles, sentence) => {
    const renewal = await Renewal.open(troubles === "down" ? {} : troubles);
    if (troubles === "down") await renewal.authority.stop();
    await renewal.run();
    expectOneFailure(renewal, sentence);
    await renewal.close();
  });

  test.each([
    [
      "sentence of several lines",
      "too many\r\ncertificates\u2028for\u001b[2J you",
      "refuses: too many certificates for [2J you; the next",
    ],
    ["sentence that is none", { toString: 1 }, "refuses: it answered 429; the next"],
  ])("whose %s is printed on one line", async (_, detail, told) => {
    const renewal = await Renewal.open({ refuses: { status: 429, type: "rateLimited", detail } });
    await renewal.run();
    expectOneFailure(renewal, told);
    await renewal.close();
  });

  test("that fails on is asked after 1, 5, 15 and 60 minutes, then every 6 hours, over restarts too", async () => {
    const renewal = await Renewal.open({ refuses: { status: 403, type: "unauthorized", detail: "no" } });
    const minutes: number[] = [];
    for (let round = 1; round <= 6; round++) {
      await renewal.run();
      const { nextAt, lastAt = 0 } = renewal.state();
      minutes.push(Math.floor((nextAt - lastAt) / 60_000));
      setSystemTime(nextAt - 1000);
      await renewal.run();
      expect(renewal.authority.orders).toHaveLength(round);
      setSystemTime(nextAt);
    }
    expect(minutes).toEqual([1, 5, 15, 60, 360, 360]);
    // A clock that was a year ahead at the last attempt does not hold the next one up for a year.
    setSystemTime(renewal.state().nextAt - 365 * DAY_MS);
    await renewal.run();
    expect(renewal.authority.orders).toHaveLength(7);
    await renewal.close();
  });
});

test("a certificate that cannot be renewed is told of once, a week before its end", async () => {
  const renewal = await Renewal.open();
  await renewal.run();
  renewal.authority.troubles.refuses = { status: 403, type: "unauthorized", detail: "no" };
  const from = Date.now();
  const endings: number[] = [];
  for (const days of [61, 82.9, 83.1, 84, 89]) {
    setSystemTime(from + days * DAY_MS);
    await renewal.run();
    endings.push(renewal.endings);
  }
  expect(endings).toEqual([0, 0, 1, 1, 1]);
  await renewal.close();
});

test("the certificate of another authority than the one that is set is replaced at once", async () => {
  const renewal = await Renewal.open();
  await renewal.run();
  const state = { ...renewal.state(), directory: "https://staging.example/directory" };
  new CertificateFolder(renewal.path).writeState(state);
  await renewal.run();
  expect([renewal.authority.issued, renewal.state().directory]).toEqual([2, renewal.authority.directory]);
  await renewal.close();
});

describe("an order", () => {
  test("follows at once where somebody has removed the folder", async () => {
    const renewal = await Renewal.open();
    await renewal.run();
    rmSync(renewal.path, { recursive: true });
    await renewal.run();
    expect(renewal.authority.issued).toBe(2);
    expect(renewal.files()).toEqual(["account.pem", "certificate.pem", "state.json"]);
    await renewal.close();
  });

  test("that is stopped counts as none, and does not touch the state of a process that has begun another", async () => {
    const renewal = await Renewal.open({ finishes: new Promise(() => {}) });
    const stopped = renewal.run();
    await eventually("it is proved", () => "challenges" in renewal.state());
    renewal.stop();
    await stopped;
    expect(renewal.state()).toEqual({ failures: 0, nextAt: 0 });
    const other = { failures: 1, nextAt: 0, lastAt: Date.now() + 1, challenges: { token: "answer" } };
    const late = await Renewal.open({ finishes: new Promise(() => {}) });
    const lost = late.run();
    await eventually("it is proved", () => "challenges" in late.state());
    new CertificateFolder(late.path).writeState(other);
    late.stop();
    await lost;
    expect(late.state()).toEqual(other);
    await Promise.all([renewal.close(), late.close()]);
  });
});

describe("of two names one that the authority refuses", () => {
  const [ONE, WWW] = ["plants.localhost", "www.plants.localhost"];
  const CERTIFICATE = "certificate.pem";

  test.each<[string, Troubles]>([
    ["has no address yet", { nowhere: [WWW] }],
    ["is refused with the order", { refuses: { status: 403, type: "rejectedIdentifier", detail: "no", names: [WWW] } }],
  ])("that %s does not hold up the other, and is named until it is there", async (_, troubles) => {
    const renewal = await Renewal.open(troubles);
    await renewal.run();
    expect(renewal.names()).toEqual([ONE]);
    expect(renewal.warnings).toEqual([
      expect.stringMatching(/^The certificate is without www.plants.localhost: .*; the next attempt is at /),
    ]);
    // The schedule of failures holds for the missing one, and the certificate stays as it is.
    await renewal.run();
    expect(renewal.authority.orders).toEqual([[ONE, WWW], [ONE]]);
    setSystemTime(renewal.state().nextAt);
    await renewal.run();
    expect(renewal.authority.orders).toHaveLength(3);
    expect(renewal.warnings.at(-1)).toContain(WWW);
    expect(renewal.state()).toMatchObject({ failures: 2, problem: expect.stringContaining(WWW) });
    Object.assign(renewal.authority.troubles, { nowhere: undefined, refuses: undefined });
    setSystemTime(renewal.state().nextAt);
    await renewal.run();
    expect(renewal.names()).toEqual([ONE, WWW]);
    expect(renewal.state()).toMatchObject({ failures: 0, nextAt: 0 });
    expect(renewal.state().problem).toBeUndefined();
    await renewal.close();
  });

  test("and that the present certificate has stays in it until that ends", async () => {
    const renewal = await Renewal.open();
    await renewal.run();
    renewal.authority.troubles.nowhere = [WWW];
    setSystemTime(Date.now() + 61 * DAY_MS);
    await renewal.run();
    expect([renewal.authority.issued, renewal.names()]).toEqual([1, [ONE, WWW]]);
    setSystemTime(Date.now() + 30 * DAY_MS);
    await renewal.run();
    expect(renewal.names()).toEqual([ONE]);
    await renewal.close();
  });

  test("leaves no order for nobody: where all are refused there is one attempt", async () => {
    const renewal = await Renewal.open({ nowhere: [ONE, WWW] });
    await renewal.run();
    expect(renewal.authority.orders).toHaveLength(1);
    expectOneFailure(renewal, "did not answer the challenge");
    expect(renewal.files()).not.toContain(CERTIFICATE);
    await renewal.close();
  });
});

describe("an authority that says when it wants certificates renewed", () => {
  let renewal: Renewal;
  let from: number;
  beforeEach(async () => {
    renewal = await Renewal.open();
    renewal.authority.renewal = suggested(40, 42);
    from = Date.now();
  });
  afterEach(() => renewal.close());

  const suggested = (startDays: number, endDays: number, retryAfter = "21600"): SuggestedRenewal => {
    const [start, end] = [startDays, endDays].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
    return { suggestedWindow: { start: start ?? "", end: end ?? "" }, retryAfter };
  };

  async function issuedAfter(days: number): Promise<number> {
    setSystemTime(from + days * DAY_MS);
    await renewal.run();
    return renewal.authority.issued;
  }

  test("is asked for the certificate, whose new one replaces it at a moment of the suggested time", async () => {
    expect(await issuedAfter(0)).toBe(1);
    expect(await issuedAfter(1)).toBe(1);
    const { at = 0, id } = renewal.state().advice ?? {};
    expect(at).toBeWithin(from + 40 * DAY_MS, from + 42 * DAY_MS + 1);
    expect(await issuedAfter(39)).toBe(1);
    // The moment stays while it is within the time.
    expect(renewal.state().advice).toEqual({ at, id: id ?? "" });
    expect(await issuedAfter(42)).toBe(2);
    expect(renewal.authority.asked).toEqual([id, id, id].map((each) => each ?? ""));
    expect(renewal.authority.replaced).toEqual([undefined, id]);
    expect(renewal.state().advice).toBeUndefined();
  });

  test("is asked once in six hours, or as it says within an hour and a day, also about the next certificate", async () => {
    const asked = async (hours: number) => {
      setSystemTime(from + hours * HOUR_MS);
      await renewal.run();
      return renewal.authority.asked.length;
    };
    expect(await asked(0)).toBe(0);
    expect(await asked(0)).toBe(1);
    expect(await asked(5.9)).toBe(1);
    renewal.authority.renewal = suggested(40, 42, "1");
    expect(await asked(6)).toBe(2);
    expect(await asked(6.9)).toBe(2);
    renewal.authority.renewal = suggested(40, 42, new Date(from + 999 * DAY_MS).toUTCString());
    expect(await asked(7)).toBe(3);
    expect(await asked(30.9)).toBe(3);
    // Over and done: it wants the certificate renewed, and the next one too.
    renewal.authority.renewal = suggested(-9, -8);
    expect(await asked(48)).toBe(4);
    expect(renewal.authority.issued).toBe(2);
    expect(await asked(53.9)).toBe(4);
    expect(await asked(54)).toBe(5);
    // The next one is renewed, for the limits of authorities, after a day and a half at the earliest.
    expect(await asked(54.1)).toBe(5);
    expect(renewal.authority.issued).toBe(2);
    expect(await asked(84)).toBe(6);
    expect(renewal.authority.issued).toBe(3);
  });

  test.each<[string, SuggestedRenewal, number]>([
    ["wants it too late", { suggestedWindow: { start: "9000-01-01T00:00:00Z", end: "9001-01-01T00:00:00Z" } }, 75],
    ["names a time that ends before it begins", suggestedWindow("2020-01-02", "2020-01-01"), 60],
    ["names no time", suggestedWindow("soon", "later"), 60],
    ["answers with something else", {}, 60],
  ])("but %s does not put the renewal off for longer than is good", async (_, told, days) => {
    expect(await issuedAfter(0)).toBe(1);
    renewal.authority.renewal = told;
    expect(await issuedAfter(days - 0.1)).toBe(1);
    expect(await issuedAfter(days)).toBe(2);
    expect(renewal.warnings).toEqual([]);
  });

  test("and refuses an order that replaces another is asked for one that does not", async () => {
    expect(await issuedAfter(0)).toBe(1);
    renewal.authority.troubles.refuses = { status: 409, type: "alreadyReplaced", detail: "already replaced" };
    expect(await issuedAfter(61)).toBe(1);
    renewal.authority.troubles.refuses = undefined;
    setSystemTime(renewal.state().nextAt);
    await renewal.run();
    expect(renewal.authority.replaced).toEqual([undefined, expect.stringContaining("."), undefined]);
    expect(renewal.authority.issued).toBe(2);
  });

  function suggestedWindow(start: string, end: string): SuggestedRenewal {
    return { suggestedWindow: { start, end } };
  }
});
