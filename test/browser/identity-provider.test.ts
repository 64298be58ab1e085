import { afterAll, describe, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { newAuthority } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { startService, type TestService } from "../support/service.ts";
import { newAccount } from "../support/test-browser.ts";

/** A foreign one, if `scripts/oidc-provider.ts` runs these tests. */
const { TestIdentityProvider }: typeof import("../support/identity-provider.ts") = await import(
  process.env.TEST_PROVIDER ?? "../support/identity-provider.ts"
);

/** A proxy that ends TLS, and says so to a service that trusts it (TRUSTED_PROXIES). */
async function startProxy(port: number, service: TestService) {
  const { key, cert } = await (await newAuthority()).issue("localhost");
  return Bun.serve({
    port,
    hostname: "127.0.0.1",
    tls: { key, cert },
    fetch(request, server) {
      const { pathname, search, host } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete("Host");
      headers.set("X-Forwarded-For", server.requestIP(request)?.address ?? "");
      headers.set("X-Forwarded-Proto", "https");
      headers.set("X-Forwarded-Host", host);
      const { method, body } = request;
      return fetch(service.url + pathname + search, { method, headers, body, redirect: "manual", decompress: false });
    },
  });
}

describe.each([
  ["sqlite", "http"],
  ["postgres", "https"],
] as const)("a browser at the identity provider, on %s, by %s", async (engine, protocol) => {
  const idp = new TestIdentityProvider();
  const isProxied = protocol === "https";
  const port = freePort();
  const url = `${protocol}://localhost:${port}`;
  const service = await startService({
    engine,
    settings: {
      ...(isProxied ? { TRUSTED_PROXIES: "127.0.0.1" } : { PORT: String(port) }),
      BASE_URL: url,
      OIDC_ISSUER: idp.issuer,
      OIDC_CLIENT_ID: "plants",
      OIDC_NAME: "Corp",
      OIDC_MEMBERS: "groups:growers=editor",
    },
  });
  const proxy = isProxied ? await startProxy(port, service) : undefined;
  const answer = (request: Request) => fetch(request, { tls: { rejectUnauthorized: false } });
  const at = { ...service, url, answer };
  await newAccount(service);
  afterAll(async () => {
    await proxy?.stop(true);
    await service.stop();
  });

  const as = (sub: string, more: object = { groups: ["growers"] }) => {
    idp.claims = { sub, email: `${sub}-${engine}@corp.example`, email_verified: true, ...more };
  };
  const leave = async ({ page }: TestPage, label: string | RegExp = "Sign in with Corp") => {
    await page.getByRole("button", { name: label }).click();
    await page.getByRole("heading", { name: "Provider" }).waitFor();
  };
  const agree = ({ page }: TestPage) => page.getByRole("link", { name: "Agree" }).click();
  const inside = ({ page }: TestPage) => page.getByRole("heading", { name: "Overview" }).waitFor();

  test("signs in, and leads back to the page that was asked for, whose address has nothing of it", async () => {
    as("ada");
    const opened = await TestPage.open(at);
    await opened.goto("/plants?q=fern");
    await leave(opened);
    await agree(opened);
    await opened.page.waitForURL("**/dashboard/plants?q=fern");
    await opened.page.getByRole("heading", { name: "Plants" }).waitFor();
    const cookies = await opened.context.cookies();
    const session = cookies.find(({ name }) => name.endsWith("plantstore.session_token"));
    expect([session?.name.startsWith("__Host-"), session?.secure, session?.path]).toEqual([isProxied, isProxied, "/"]);
    await opened.page.goBack();
    await opened.page.waitForLoadState();
    expect(opened.page.url()).not.toContain("code=");
    await opened.close();
  });

  // What follows is the same by either way, and on either database.
  if (!isProxied) return;

  test("cancelled, it says so, and begins again", async () => {
    const opened = await TestPage.open(at);
    await opened.goto("/sign-in");
    await leave(opened);
    await opened.page.getByRole("link", { name: "Cancel" }).click();
    await opened.page.getByText("You are not signed in").waitFor();
    expect(opened.page.url()).toBe(`${url}/dashboard/sign-in`);
    await leave(opened);
    await agree(opened);
    await inside(opened);
    await opened.close();
  });

  test.each([0, 1])(
    "in two windows both sign in, window %i first, and a used answer shows the dashboard",
    async (which) => {
      as(`two-windows-${which}`);
      const first = await TestPage.open(at);
      await first.goto("/sign-in");
      await leave(first);
      const page = await first.context.newPage();
      await page.goto("/dashboard/sign-in?back=/dashboard/plants");
      await page.getByRole("button", { name: "Sign in with Corp" }).click();
      await page.getByRole("heading", { name: "Provider" }).waitFor();
      const led = page.waitForRequest(/\/dashboard\/sign-in\?.*state=/);
      const ends = [
        async () => {
          await agree(first);
          await inside(first);
        },
        async () => {
          await page.getByRole("link", { name: "Agree" }).click();
          await page.getByRole("heading", { name: "Plants", exact: true }).waitFor();
        },
      ];
      if (which === 1) ends.reverse();
      for (const end of ends) await end();
      await page.goto((await led).url());
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await first.close();
    },
  );

  test("connects an identity in the settings, after a proof, which then signs in; and it is removed", async () => {
    as("connected", {});
    const opened = await TestPage.open(at);
    const email = await newAccount(service);
    await opened.takeSession(email);
    await opened.goto("/settings/security");
    await opened.page.getByRole("button", { name: "Connect Corp" }).click();
    await opened.confirm();
    await opened.page.getByRole("heading", { name: "Provider" }).waitFor();
    await agree(opened);
    await opened.page.getByText(`connected-${engine}@corp.example`).waitFor();
    const other = await TestPage.open(at);
    await other.goto("/sign-in");
    await leave(other);
    await agree(other);
    await inside(other);
    await other.close();
    await opened.page.getByRole("button", { name: /^Remove connected/ }).click();
    await opened.page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await opened.confirm();
    await opened.page.getByTitle(`connected-${engine}@corp.example`).waitFor({ state: "detached" });
    await opened.close();
  });

  test("proves in a window of its own who has no password, who then sets one", async () => {
    as("grace");
    const opened = await TestPage.open(at);
    await opened.goto("/settings/security");
    await leave(opened);
    await agree(opened);
    await opened.page.getByRole("heading", { name: "Security", exact: true }).waitFor();
    await opened.page.locator("input[name=newPassword]").fill("seven orange garden gnomes");
    await opened.page.getByRole("button", { name: "Set a password" }).click();
    const popup = opened.page.waitForEvent("popup");
    await opened.page.getByRole("button", { name: "Confirm with Corp" }).click();
    const asked = await popup;
    await asked.getByRole("link", { name: "Agree" }).click();
    await opened.page.getByText("Changed. All other sessions have ended.").waitFor();
    await opened.page.getByLabel(/^Current password/).waitFor();
    await opened.close();
  });

  test("a session that has ended goes on above the page after a sign-in in another window", async () => {
    as("ended");
    const opened = await TestPage.open(at);
    await opened.goto("/settings");
    await leave(opened);
    await agree(opened);
    const name = opened.page.getByRole("textbox", { name: "Name" });
    await name.fill("Half typed");
    await opened.context.clearCookies();
    await opened.page.getByRole("button", { name: "Save" }).click();
    await opened.page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    const popup = opened.page.waitForEvent("popup");
    await opened.page.getByRole("dialog").getByRole("button", { name: "Sign in with Corp" }).click();
    await (await popup).getByRole("link", { name: "Agree" }).click();
    await opened.page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("Half typed");
    await opened.close();
  });

  test("a provider that is down is told at the button, passwords go on, and it signs in once it is back with another key", async () => {
    as("late");
    const opened = await TestPage.open(at);
    await opened.goto("/sign-in");
    await idp.stop();
    await opened.page.getByRole("button", { name: "Sign in with Corp" }).click();
    await opened.page.getByText(/cannot be reached/).waitFor();
    idp.startAgain();
    await leave(opened);
    idp.rotate();
    await agree(opened);
    await inside(opened);
    await opened.close();
  });
});
