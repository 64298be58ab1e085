import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { sql } from "kysely";
import pg from "pg";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { mayDo, RIGHT_OF_SCOPE, type Right, ROLES, type Role } from "#core/role.ts";
import { testCaller } from "#test/support/audit.ts";
import { ENGINES, newMigratedDatabase, type TestEngine } from "#test/support/engines.ts";
import { eventually } from "#test/support/eventually.ts";
import { type OpenApp, openApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import { temporaryFolder } from "#test/support/service.ts";
import type { Holder } from "#test/support/test-account.ts";
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
  "POST /dashboard/api/imports": { file_name: "plants.csv" },
  "POST /dashboard/api/stores": { name: "Nursery" },
  "PATCH /dashboard/api/account": { email: "other@example.test" },
};

/** The operations of the API as pages reach them, with the rights that they take. */
const { getToken: _, ...OF_PAGES } = SHAPE_1.operations;
const OPERATIONS = Object.values(OF_PAGES).map(({ address, scopes }) => {
  const rights = scopes.map((scope) => RIGHT_OF_SCOPE[scope]);
  return { address: address.replace(" ", " /dashboard/api/v1").replace("{id}", "1"), rights };
});

let app: OpenApp;
let holder: Holder;
let browser: TestBrowser;
let bearer: string;
/** Of PostgreSQL alone. */
let database: pg.Client | undefined;
let tables: readonly string[];
let exports = 0;

const TABLES: Readonly<Record<TestEngine, string>> = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'",
  postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
};

/** The rows of every table but those of counted attempts, by the names of the tables. */
async function everything(): Promise<string> {
  const queries = tables.map((name) => `SELECT * FROM ${name}`);
  // On PostgreSQL all of them are sent at once, and a row that was written as it is has another place.
  const all = database
    ? ((await database.query(queries.join(";"))) as unknown as pg.QueryResult[])
    : await Promise.all(queries.map((query) => sql.raw(query).execute(app.storage.db)));
  const text = (value: unknown) => JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}` : each));
  return text(all.map(({ rows }, at) => [tables[at], rows.map(text).sort()]));
}

async function expectUnchanged(act: () => Promise<void>): Promise<void> {
  const before = await everything();
  await act();
  expect(await everything()).toBe(before);
}

/** An export does not wait for its entry in the audit log, which would be a change in the next test. */
async function taken(answer: Response, address: string): Promise<Response> {
  if (answer.ok && address.endsWith("/export")) {
    exports++;
    await eventually("the export is entered", async () => (await exportsEntered()) === exports);
  }
  return answer;
}

async function exportsEntered(): Promise<number> {
  const entries = app.storage.db.selectFrom("audit_entries").where("action", "=", "export.made");
  const { count } = await entries.select(({ fn }) => fn.countAll().as("count")).executeTakeFirstOrThrow();
  return Number(count);
}

function send(by: TestBrowser, address: string, headers: Record<string, string> = {}): Promise<Response> {
  if (address.endsWith("/account/delete")) {
    return by.send("POST", address.slice(5), { email: holder.email, stores: [holder.storeId] }, headers);
  }
  const [method = "", path = ""] = address.split(" ");
  const body = method === "GET" || method === "DELETE" ? undefined : (FORMS[address] ?? {});
  return by.send(method, path.replace(":id", ID), body, headers);
}

const addressesOf = (fits: (route: (typeof PRIVATE_ROUTES)[keyof typeof PRIVATE_ROUTES]) => boolean) =>
  Object.entries(PRIVATE_ROUTES)
    .filter(([, route]) => fits(route))
    .map(([address]) => address);

/** One app for the tests of a group. */
function withApp(engine: TestEngine): void {
  beforeAll(async () => {
    const DATABASE_URL = await newMigratedDatabase(engine, temporaryFolder());
    app = await openApp({ DATABASE_URL });
    database = engine === "postgres" ? new pg.Client(DATABASE_URL) : undefined;
    await database?.connect();
    const named = sql<{ name: string }>`SELECT name FROM (${sql.raw(TABLES[engine])}) AS named
      WHERE name <> 'attempts' AND name NOT LIKE 'plant_search%' ORDER BY name`;
    tables = (await named.execute(app.storage.db)).rows.map(({ name }) => name);
    holder = await app.account();
    [browser, bearer] = [await app.browser(holder), await app.token(holder)];
    exports = 0;
  });
  afterAll(async () => {
    await database?.end();
    await app.close();
  });
}

describe("by the checks that know no store,", () => {
  withApp("sqlite");

  describe("without a session", () => {
    // An invitation also makes an account (`invitations.test.ts`).
    const takesSession = addressesOf(({ takes }) => takes !== "anybody")
      .filter((address) => !address.endsWith("/invitation/accept"))
      .concat(OPERATIONS.map(({ address }) => address));

    test.each(takesSession)("%s is refused and changes nothing, and a bearer token is no session", (address) =>
      expectUnchanged(async () => {
        const sentence = "You are not signed in, or the session is over: sign in";
        await expectRefused(await send(app.stranger(), address), 40150, sentence);
        const answer = await send(app.stranger(), address, { Authorization: `Bearer ${bearer}` });
        expect(answer.headers.get("WWW-Authenticate")).toBeNull();
        await expectRefused(answer, 40150);
      }),
    );
  });

  describe("from the page of another origin", () => {
    const changing = [...Object.keys(PRIVATE_ROUTES), ...OPERATIONS.map(({ address }) => address)].filter(
      (address) => !address.startsWith("GET "),
    );
    test.each(changing)("%s is refused and changes nothing", (address) =>
      expectUnchanged(async () => {
        for (const Origin of ["https://evil.example", "null"])
          await expectRefused(await send(browser, address, { Origin }), 40350);
        await expectRefused(await send(browser, address, { "Sec-Fetch-Site": "cross-site" }), 40350);
      }),
    );
  });

  describe("without a proof", () => {
    afterAll(() => void setSystemTime());

    // A passkey must be one's own before its removal asks for a proof (`src/accounts/proofs.test.ts`), and who is removed
    // an owner (`stores.test.ts`).
    const asked = addressesOf(({ proof }) => proof !== undefined).filter(
      (address) => !/delete-passkey|:id\/remove$/.test(address) || address.includes("identities"),
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
});

describe.each(ENGINES)("in a store, on %s,", (engine) => {
  withApp(engine);

  const STORE_UNKNOWN = "You belong to no such store; it may be that you were removed from it";
  const inStores: readonly { address: string; rights: readonly Right[] }[] = [
    ...Object.entries(PRIVATE_ROUTES).flatMap(([address, { right }]) => (right ? [{ address, rights: [right] }] : [])),
    ...OPERATIONS,
  ];
  const may = ({ role, rights }: { role: Role; rights: readonly Right[] }) =>
    rights.every((right) => mayDo(role, right));
  let store: Holder;
  let inStore: Record<string, string>;
  /** One person of each role, who belongs to the store again for each test. */
  const people = new Map<Role, { readonly person: Holder; readonly browser: TestBrowser }>();
  let [stranger, removed] = [{} as TestBrowser, {} as TestBrowser];
  beforeAll(async () => {
    store = await app.account();
    inStore = { "Plantstore-Account": store.storeId };
    for (const role of ROLES) {
      const person = await app.account();
      people.set(role, { person, browser: await app.browser(person) });
    }
    stranger = await app.browser(await app.account());
    const former = await app.account();
    await join(former, "owner");
    removed = await app.browser(former);
    await app.storage.records.members.remove(testCaller(store.account), former.id, false);
  });

  async function join({ id }: Holder, role: Role): Promise<void> {
    const row = { store: store.account, person: id, role, source: "hand", joined_at: 1 } as const;
    await app.storage.db
      .insertInto("members")
      .values(row)
      .onConflict((on) => on.doNothing())
      .execute();
  }

  async function member(role: Role): Promise<TestBrowser> {
    const { person, browser: theirs } = people.get(role) as { person: Holder; browser: TestBrowser };
    await join(person, role);
    return theirs;
  }

  const all = ROLES.flatMap((role) => inStores.map((each) => ({ ...each, role })));
  const notAllowed = all.filter((each) => !may(each));
  const allowed = all.filter(may);

  test.each(notAllowed)("$role: $address is refused, and changes nothing", async ({ address, role }) => {
    const by = await member(role);
    await expectUnchanged(async () => {
      const answer = await send(by, address, inStore);
      expect(answer.headers.get("WWW-Authenticate")).toBeNull();
      await expectRefused(answer, 40356);
    });
  });

  test.each(allowed)("$role: $address is not refused for the role", async ({ address, role }) => {
    const answer = await taken(await send(await member(role), address, inStore), address);
    const text = await answer.text();
    expect([401, 500]).not.toContain(answer.status);
    expect(text).not.toContain('"error":40356');
    expect(text).not.toContain(STORE_UNKNOWN);
  });

  test.each(inStores)(
    "$address is refused to who belongs to another store, and who was removed",
    async ({ address }) => {
      await expectUnchanged(async () => {
        await expectRefused(await send(stranger, address, inStore), 40450, STORE_UNKNOWN);
        await expectRefused(await send(removed, address, inStore), 40450, STORE_UNKNOWN);
      });
    },
  );

  test.each(inStores)(
    "$address with the header of another store of one's own leaves this store as it is",
    async (row) => {
      const by = await member("viewer");
      const own = { "Plantstore-Account": people.get("viewer")?.person.storeId ?? "" };
      const ofStore = async () =>
        JSON.parse(await everything()).flatMap(([table, rows]: [string, string[]]) => {
          const parsed = rows.map((row) => JSON.parse(row));
          return parsed.filter((row) => Number(table === "accounts" ? row.number : row.account) === store.account);
        });
      const before = await ofStore();
      expect(before.length).toBeGreaterThan(ROLES.length);
      const text = await (await taken(await send(by, row.address, own), row.address)).text();
      expect(text).not.toContain('"error":40356');
      expect(text).not.toContain(STORE_UNKNOWN);
      expect(await ofStore()).toEqual(before);
    },
  );

  const parts = Object.entries(PRIVATE_ROUTES).flatMap(([address, route]) =>
    Object.entries(route.parts).flatMap(([part, right]) => ROLES.map((role) => ({ address, part, right, role }))),
  );

  test.each(parts)("$role: the part $part of $address is given as the role allows it", async (row) => {
    const isShown = async (to: Role) => {
      const answer = await send(await member(to), row.address, inStore);
      expect(answer.status).toBe(200);
      return new RegExp(`"${row.part}":(?!null)`).test(await answer.text());
    };
    const asked = await send(await member(row.role), `${row.address}?${row.part}=1`, inStore);
    if (mayDo(row.role, row.right)) {
      expect(asked.status).toBe(200);
      expect(await isShown(row.role)).toBe(await isShown("owner"));
    } else {
      await expectRefused(asked, 40356);
      expect(await isShown(row.role)).toBe(false);
    }
  });
});
