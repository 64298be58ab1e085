import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { MINUTE_MS } from "#core/duration.ts";
import type { Person } from "#core/person.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { TestBrowser } from "#test/support/test-browser.ts";

const API = "/dashboard/api";

let app: OpenApp;
let holder: Person;
let browser: TestBrowser;
withAppPerFile(async (opened, account) => {
  [app, holder] = [opened, account];
  browser = await app.browser(holder);
});
afterEach(() => void setSystemTime());

describe("sessions", () => {
  test("that are renewed by a request send their cookie anew with its answer", async () => {
    const { now } = Date;
    for (const [count, path] of ["/session", "/overview", "/v1/plants"].entries()) {
      setSystemTime(now() + (count + 1) * 5 * MINUTE_MS);
      const answer = await browser.get(`${API}${path}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/session_token=.*; Max-Age=604800;/)]);
    }
  });

  test("are listed with the current one first, without a token, and ended by their own account alone", async () => {
    const other = await app.browser(holder);
    await other.get(`${API}/session`);
    const text = await (await browser.get(`${API}/sessions`)).text();
    const { sessions } = JSON.parse(text);
    expect(sessions).toMatchObject([
      { current: true, device: "Firefox on Linux", address: "127.0.0.1" },
      { current: false, last_seen_at: expect.stringMatching(/Z$/) },
    ]);
    const rows = await app.storage.db.selectFrom("sessions").select("hash").execute();
    for (const { hash } of rows) expect(text).not.toContain(Buffer.from(hash).toString("hex"));
    const end = `${API}/sessions/${sessions[1].id}/end`;
    const sentence = "There is no such session; it may be over already";
    await expectRefused(await (await app.browser(await app.account())).post(end), 40450, sentence);
    expect(await other.signedIn()).toBe(true);
    expect((await browser.post(end)).status).toBe(204);
    expect(await other.signedIn()).toBe(false);
    await expectRefused(await browser.post(end), 40450, sentence);
  });

  test("that are others' are ended together, and those of another account go on", async () => {
    const [other, stranger] = [await app.browser(holder), await app.browser(await app.account())];
    expect((await browser.post(`${API}/sessions/end-others`)).status).toBe(204);
    expect([await other.signedIn(), await browser.signedIn(), await stranger.signedIn()]).toEqual([false, true, true]);
  });
});

describe("a proof", () => {
  test("is none with a wrong password, a passkey that is none, or a form that is neither", async () => {
    for (const [form, error, sentence] of [
      [{ password: "not the password" }, 40351],
      [{ passkey: { id: "x" } }, 40153],
      [{}, 40002, 'Cannot take "password": it is missing'],
      [{ password: 5 }, 40003, 'Cannot take "password": it must be a string'],
      [{ passkey: "x" }, 40003, 'Cannot take "passkey": it must be '],
    ] as const) {
      await expectRefused(await browser.post(`${API}/proof`, form), error, sentence);
    }
  });
});

describe("a trusted device", () => {
  test("that there is not, or is another account's, is not forgotten", async () => {
    const stranger = await app.account();
    const id = "dev_of_another";
    const row = { id, hash: new Uint8Array(32), person: stranger.id, user_agent: "", address: "" };
    const now = Date.now();
    await app.storage.db
      .insertInto("trusted_devices")
      .values({ ...row, created_at: now, last_used_at: now, expires_at: now + MINUTE_MS })
      .execute();
    const sentence = "There is no such trusted device";
    await expectRefused(await browser.post(`${API}/trusted-devices/${id}/forget`), 40450, sentence);
    expect((await browser.post(`${API}/trusted-devices/forget-all`)).status).toBe(204);
    expect(await (await browser.get(`${API}/trusted-devices`)).json()).toEqual({ devices: [] });
    const kept = await app.storage.db.selectFrom("trusted_devices").select("id").where("id", "=", id).execute();
    expect(kept).toHaveLength(1);
  });
});
