import { afterAll, describe, expect, test } from "bun:test";
import { startService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";
import { earlierTotpCode, totpCode } from "./support/totp.ts";

const service = await startService();
afterAll(() => service.stop());

describe("the second factor", () => {
  interface Protected {
    readonly browser: TestBrowser;
    readonly email: string;
    readonly uri: string;
  }

  /** An account with a second factor. Turning it on has used the code of the step before the present one. */
  async function protectedAccount(): Promise<Protected> {
    const { browser, email } = await signedInBrowser(service);
    const setup = await browser.post("/auth/two-factor/enable", { password: PASSWORD });
    const { totpURI: uri } = await setup.json();
    expect((await verify(browser, await earlierTotpCode(uri))).status).toBe(200);
    return { browser, email, uri };
  }

  function verify(browser: TestBrowser, code: string, more: object = {}): Promise<Response> {
    return browser.post("/auth/two-factor/verify-totp", { code, ...more });
  }

  async function halfSignedIn(email: string): Promise<TestBrowser> {
    const browser = new TestBrowser(service);
    const answer = await browser.signIn(email, PASSWORD);
    expect([answer.status, await answer.json()]).toEqual([200, { two_factor: true }]);
    expect(await browser.signedIn()).toBe(false);
    return browser;
  }

  test("with a second factor the password alone is half the way, and a code counts once", async () => {
    const { browser: owner, email, uri } = await protectedAccount();
    expect(await (await owner.get("/dashboard/api/session")).json()).toMatchObject({ account: { two_factor: true } });
    const browser = await halfSignedIn(email);
    const wrong = await verify(browser, "000000");
    expect([wrong.status, (await wrong.json()).error]).toEqual([401, 40153]);
    const code = totpCode(uri);
    expect((await verify(browser, code)).status).toBe(200);
    expect(await browser.signedIn()).toBe(true);
    const replayed = await verify(await halfSignedIn(email), code);
    expect([replayed.status, (await replayed.json()).error]).toEqual([401, 40153]);
  });

  test("the operator turns it off for who lost the device, and all sessions end", async () => {
    const { browser, email } = await protectedAccount();
    await service.command("account", "second-factor", "--off", "--email", email);
    expect(await browser.signedIn()).toBe(false);
    expect(await (await browser.signIn(email, PASSWORD)).json()).toEqual({ two_factor: false });
  });
});
