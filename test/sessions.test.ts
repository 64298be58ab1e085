import { afterAll, describe, expect, test } from "bun:test";
import { expectRefusedWithinASecond } from "./support/refused.ts";
import { startService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

const service = await startService();
afterAll(() => service.stop());

describe("sessions", () => {
  async function innerToken(browser: TestBrowser): Promise<string> {
    const { token, expires_at } = await (await browser.post("/dashboard/api/access-token")).json();
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    return token;
  }

  async function apiStatus(token: string): Promise<number> {
    return (await service.send("GET", "/v1/plants/1", { as: token })).status;
  }

  test("a stolen cookie stops working when its owner signs out, and so does the page's own token", async () => {
    const { browser } = await signedInBrowser(service);
    const thief = browser.thief();
    const token = await innerToken(browser);
    expect([await thief.signedIn(), await apiStatus(token)]).toEqual([true, 404]);
    expect((await browser.post("/auth/sign-out")).status).toBe(200);
    expect(await thief.signedIn()).toBe(false);
    expect([...browser.cookies.keys()]).toEqual(["plantstore.device"]);
    await expectRefusedWithinASecond(() => apiStatus(token));
  });

  test("a page's stream of events that is idle ends within a second after its session has", async () => {
    const { browser } = await signedInBrowser(service);
    const headers = { Accept: "text/event-stream" };
    const stream = await service.send("GET", "/v1/events", { as: await innerToken(browser), headers });
    const reader = stream.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await browser.post("/auth/sign-out");
    const endedAt = performance.now();
    while (!(await reader?.read())?.done);
    expect(performance.now() - endedAt).toBeLessThan(1000);
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
});
