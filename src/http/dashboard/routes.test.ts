import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { sql } from "kysely";
import type { Person } from "#core/person.ts";
import { type OpenApp, openApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import { PASSWORD, type TestBrowser } from "#test/support/test-browser.ts";
import { PRIVATE_ROUTES } from "./routes.ts";

/** What no route can know of, since the test makes no such thing. */
const ID = "unknown";
/** Forms that would be taken, by address. */
const FORMS: Readonly<Record<string, object>> = {
  "POST /auth/sign-in/email": { email: "nobody@example.test", password: PASSWORD },
  "POST /auth/change-password": { newPassword: "seven orange garden gnomes" },
  "POST /auth/two-factor/verify-totp": { code: "123456" },
  "POST /auth/two-factor/verify-backup-code": { code: "aB3dE-fG7hJ" },
  "POST /auth/oidc/begin": { purpose: "connect" },
  "POST /auth/oidc/finish": { search: "?code=x&state=x" },
  "POST /auth/passkey/verify-registration": { response: {} },
  "POST /auth/passkey/update-passkey": { id: ID, name: "Till" },
  "POST /auth/passkey/delete-passkey": { id: ID },
  "POST /dashboard/api/welcome": { email: "new@example.test", password: PASSWORD },
  "POST /dashboard/api/recovery": { email: "nobody@example.test" },
  "POST /dashboard/api/recovery/password": { token: "x", password: PASSWORD },
  "POST /dashboard/api/proof": { password: PASSWORD },
  "POST /dashboard/api/tokens": { name: "Till", scopes: ["plants:read"], expires_at: null },
  "PATCH /dashboard/api/tokens/:id": { name: "Desk" },
  "POST /dashboard/api/tokens/:id/roll": { overlap_seconds: 0 },
  "POST /dashboard/api/people/invitations": { email: "new@example.test", role: "owner" },
  "PATCH /dashboard/api/people/:id": { role: "owner" },
  "PATCH /dashboard/api/store": { name: "Nursery" },
  "POST /dashboard/api/store/delete": { name: "Nursery" },
  "POST /dashboard/api/store/empty": { name: "Nursery" },
  "POST /dashboard/api/stores": { name: "Nursery" },
  "PATCH /dashboard/api/account": { email: "other@example.test" },
};

let app: OpenApp;
let holder: Person;
let browser: TestBrowser;
let bearer: string;
beforeAll(async () => {
  app = await openApp();
  holder = await app.account();
  [browser, bearer] = [await app.browser(holder), await app.token(holder)];
});
afterAll(() => app.close());

/** The rows of every table but those of counted attempts. */
async function everything(): Promise<string> {
  const { db } = app.storage;
  const tables = sql<{ name: string }>`
    SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'attempts' AND name NOT LIKE 'plant_search%'`;
  const kept = (await tables.execute(db)).rows;
  const rows = kept.map(async ({ name }) => [name, (await sql`SELECT * FROM ${sql.table(name)}`.execute(db)).rows]);
  return JSON.stringify(await Promise.all(rows), (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

async function expectUnchanged(act: () => Promise<void>): Promise<void> {
  const before = await everything();
  await act();
  expect(await everything()).toBe(before);
}

function send(by: TestBrowser, address: string, headers: Record<string, string> = {}): Promise<Response> {
  if (address.endsWith("/account/delete")) return by.send("POST", address.slice(5), { email: holder.email }, headers);
  const [method = "", path = ""] = address.split(" ");
  const body = method === "GET" ? undefined : (FORMS[address] ?? {});
  return by.send(method, path.replace(":id", ID), body, headers);
}

const addressesOf = (fits: (route: (typeof PRIVATE_ROUTES)[keyof typeof PRIVATE_ROUTES]) => boolean) =>
  Object.entries(PRIVATE_ROUTES)
    .filter(([, route]) => fits(route))
    .map(([address]) => address);

describe("without a session", () => {
  // An invitation also makes an account (`invitations.test.ts`).
  const takesSession = addressesOf(({ takes }) => takes !== "anybody").filter(
    (address) => !address.endsWith("/invitation/accept"),
  );

  test.each(takesSession)("%s is refused and changes nothing, and a bearer token is no session", (address) =>
    expectUnchanged(async () => {
      const sentence = "You are not signed in, or the session is over: sign in";
      await expectRefused(await send(app.stranger(), address), 40150, sentence);
      await expectRefused(await send(app.stranger(), address, { Authorization: `Bearer ${bearer}` }), 40150);
    }),
  );
});

describe("from the page of another origin", () => {
  test.each(Object.keys(PRIVATE_ROUTES).filter((address) => !address.startsWith("GET ")))(
    "%s is refused and changes nothing",
    (address) =>
      expectUnchanged(async () => {
        await expectRefused(await send(browser, address, { Origin: "https://evil.example" }), 40350);
        await expectRefused(await send(browser, address, { "Sec-Fetch-Site": "cross-site" }), 40350);
      }),
  );
});

describe("without a proof", () => {
  afterAll(() => void setSystemTime());

  // A passkey must be one's own before its removal asks for a proof (`test/passkey.test.ts`).
  const asked = addressesOf(({ proof }) => proof !== undefined).filter(
    (address) => !address.includes("delete-passkey"),
  );

  test.each(asked)("a quarter of an hour after the sign-in %s is refused and changes nothing", async (address) => {
    const later = await app.browser(holder);
    setSystemTime(Date.now() + 15 * 60_000 + 1000);
    // The session is renewed by its first use.
    await later.get("/dashboard/api/session");
    await expectUnchanged(async () => expectRefused(await send(later, address), 40354));
    setSystemTime();
  });
});

describe("with the session of another account", () => {
  test("what is made in one cannot be reached by its id", async () => {
    const other = await app.browser(await app.account());
    const { token } = await browser.makeToken();
    const sessions = (await (await browser.get("/dashboard/api/sessions")).json()).sessions as { id: string }[];
    const reached: [string, string][] = [
      ["PATCH /dashboard/api/tokens/:id", token.id],
      ["POST /dashboard/api/tokens/:id/roll", token.id],
      ["POST /dashboard/api/tokens/:id/revoke", token.id],
      ["POST /dashboard/api/sessions/:id/end", sessions[0]?.id ?? ""],
    ];
    await expectUnchanged(async () => {
      for (const [address, id] of reached) {
        const [method = "", path = ""] = address.split(" ");
        await expectRefused(await other.send(method, path.replace(":id", id), FORMS[address] ?? {}), 40450);
      }
    });
    const own = await browser.get("/dashboard/api/tokens");
    expect((await own.json()).tokens.find(({ id }: { id: string }) => id === token.id).state).toBe("active");
  });
});
