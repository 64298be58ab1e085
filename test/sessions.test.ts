import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runCommand, startService, type TestService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

describe("sessions", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  async function innerToken(browser: TestBrowser): Promise<string> {
    const { token, expires_at } = await (await browser.post("/dashboard/api/access-token")).json();
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    return token;
  }

  async function apiStatus(token: string): Promise<number> {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${service.url}/v1/plants/1`, { headers })).status;
  }

  async function refusedWithinASecond(token: string): Promise<boolean> {
    const began = performance.now();
    for (;;) {
      const sentMs = performance.now() - began;
      if ((await apiStatus(token)) === 401) return true;
      if (sentMs > 1000) return false;
      await Bun.sleep(20);
    }
  }

  test("a stolen cookie stops working when its owner signs out, and so does the page's own token", async () => {
    const { browser } = await signedInBrowser(service);
    const thief = browser.thief();
    const token = await innerToken(browser);
    expect([await thief.signedIn(), await apiStatus(token)]).toEqual([true, 404]);
    expect((await browser.post("/auth/sign-out")).status).toBe(200);
    expect(await thief.signedIn()).toBe(false);
    expect([...browser.cookies.keys()]).toEqual(["plantstore.device"]);
    expect(await refusedWithinASecond(token)).toBe(true);
  });

  test("a new password ends every other session, the stolen ones too, and renews the one that set it", async () => {
    const { browser, email } = await signedInBrowser(service);
    const thief = browser.thief();
    const token = await innerToken(thief);
    const change = (currentPassword: string) =>
      browser.post("/auth/change-password", { currentPassword, newPassword: "ficus under the stairs" });
    const wrong = await change("not the password");
    expect([wrong.status, (await wrong.json()).error]).toEqual([403, 40351]);
    expect((await change(PASSWORD)).status).toBe(200);
    expect(await thief.signedIn()).toBe(false);
    expect(await browser.signedIn()).toBe(true);
    expect(await refusedWithinASecond(token)).toBe(true);
    expect((await new TestBrowser(service).signIn(email, PASSWORD)).status).toBe(401);
    expect((await new TestBrowser(service).signIn(email, "ficus under the stairs")).status).toBe(200);
  }, 60_000);

  test("the operator's new password ends all sessions", async () => {
    const { browser, email } = await signedInBrowser(service);
    const command = ["account", "password", "--email", email, "--password-stdin"];
    await runCommand(service.environment, service.folder, command, "calathea by the window");
    expect(await browser.signedIn()).toBe(false);
    expect((await browser.signIn(email, "calathea by the window")).status).toBe(200);
  });

  test("sessions are listed by device, and one or all others can be ended, but nobody else's", async () => {
    const { browser, email } = await signedInBrowser(service);
    const phone = new TestBrowser(service, {
      headers: { "User-Agent": "Mozilla/5.0 (iPhone) Version/18.0 Safari/605" },
    });
    await phone.signIn(email, PASSWORD);
    const { sessions } = await (await browser.get("/dashboard/api/sessions")).json();
    expect(sessions).toMatchObject([
      { current: true, device: "Firefox on Linux", address: "127.0.0.1" },
      { current: false, device: "Safari on iPhone", address: "127.0.0.1" },
    ]);
    const stranger = await signedInBrowser(service);
    expect((await stranger.browser.post(`/dashboard/api/sessions/${sessions[1].id}/end`)).status).toBe(404);
    expect(await phone.signedIn()).toBe(true);
    expect((await browser.post(`/dashboard/api/sessions/${sessions[1].id}/end`)).status).toBe(204);
    expect(await phone.signedIn()).toBe(false);
    await phone.signIn(email, PASSWORD);
    expect((await browser.post("/dashboard/api/sessions/end-others")).status).toBe(204);
    expect([await phone.signedIn(), await browser.signedIn()]).toEqual([false, true]);
  });

  test("a browser whose session was ended elsewhere is served the sign-in, like one that never had any", async () => {
    const { browser, email } = await signedInBrowser(service);
    const elsewhere = new TestBrowser(service);
    await elsewhere.signIn(email, PASSWORD);
    const program = async () =>
      /src="\/dashboard\/assets\/(main|outside)-/.exec(await (await browser.get("/dashboard/plants")).text())?.[1];
    expect(await program()).toBe("main");
    await elsewhere.post("/dashboard/api/sessions/end-others");
    expect(await program()).toBe("outside");
    const answer = await browser.get("/dashboard/plants");
    expect([answer.status, answer.headers.get("cache-control"), answer.headers.get("vary")]).toEqual([
      200,
      "no-cache",
      "Accept-Encoding, Cookie",
    ]);
  });

  test("a cookie that was altered, or signed by another SECRET, is no session", async () => {
    const { browser } = await signedInBrowser(service);
    const [[name, value] = ["", ""]] = browser.cookies;
    const forged = browser.thief();
    forged.cookies.set(
      name,
      value.replace(/^./, (letter) => (letter === "A" ? "B" : "A")),
    );
    expect(await forged.signedIn()).toBe(false);
    const other = await service.restart({ SECRET: "another secret of at least thirty-two characters" });
    const there = new TestBrowser(other);
    there.cookies.set(name, value);
    expect(await there.signedIn()).toBe(false);
    await other.stop();
    expect(await browser.signedIn()).toBe(true);
  }, 60_000);
});

test.each([
  ["not used for a week", "expires_at", 0],
  ["30 days old, however much it was used", "created_at", 30 * 86_400_000],
])(
  "a session that is %s is over, and its row is removed",
  async (_, column, agoMs) => {
    const service = await startService();
    const { browser } = await signedInBrowser(service);
    const database = new Database(`${service.folder}/plantstore.db`);
    const past = new Date(Date.now() - agoMs - 1000).toISOString();
    database.run(`UPDATE sessions SET ${column} = ?`, [past]);
    expect(await browser.signedIn()).toBe(false);
    expect(database.query("SELECT count(*) AS count FROM sessions").get()).toEqual({ count: 0 });
    database.close();
    await service.stop();
  },
  60_000,
);
