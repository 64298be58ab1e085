import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { newTokenSecret } from "#accounts/token-service.ts";
import { secretHash } from "#storage/tokens.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { PASSWORD, TestBrowser } from "./support/test-browser.ts";

const FIXTURES = join(import.meta.dir, "fixtures");
/** The token that each fixture holds: it opens nothing else. */
const TOKENS: Readonly<Record<string, string>> = { "1.0.0": "plant_IJuZipIJ0Wj712pVjdpYcqus5exTaG1pYf7Y" };
const versions = readdirSync(FIXTURES).flatMap((file) => /^plantstore-(.+)\.db\.zst$/.exec(file)?.[1] ?? []);

async function fixture(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(zstdDecompressSync(await Bun.file(join(FIXTURES, name)).bytes()));
}

test.each(versions)(
  "the database that %s made is served with all that it holds, also beside that release",
  async (version) => {
    const folder = temporaryFolder();
    await Bun.write(join(folder, "plantstore.db"), await fixture(`plantstore-${version}.db.zst`));
    const service = await startService({ engine: "sqlite", folder });
    const ask = (method: string, path: string, body?: string) =>
      service.send(method, `/v1/plants${path}`, { as: TOKENS[version], body });

    const exported = new TextDecoder().decode(await fixture(`plantstore-${version}.ndjson.zst`));
    expect(await (await ask("GET", "/export")).text()).toBe(exported);
    expect((await ask("GET", "/7")).headers.get("ETag")).toBe('"8.2"');
    expect((await ask("GET", "/8")).status).toBe(404);
    const again = await ask("POST", "", '{"id":9007199254740993,"name":"Échevéria 🌵"}');
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const found = await (await ask("GET", "?q=LYRATA")).json();
    expect(found).toMatchObject({ data: [{ id: 7, name: "Ficus lyrata" }] });
    expect((await ask("POST", "", '{"id":-1,"name":"after the upgrade"}')).status).toBe(200);
    // The history of a plant from before begins with the upgrade, as the feed does.
    expect((await ask("PATCH", "/7", '{"tag":"after the upgrade"}')).status).toBe(200);
    const history = await service.send("GET", "/v1/events?plant=7&order=-timestamp", { as: TOKENS[version] });
    expect(await history.json()).toMatchObject({ data: [{ type: "plant.changed" }], has_more: false });

    const browser = new TestBrowser(service);
    expect((await browser.signIn("grower@example.test", PASSWORD)).status).toBe(200);
    expect(await (await browser.get("/dashboard/api/session")).json()).toMatchObject({ store: { role: "owner" } });
    const people = await (await browser.get("/dashboard/api/people")).json();
    expect(people).toMatchObject({ people: [{ email: "grower@example.test", role: "owner" }], invitations: [] });
    // Everybody is the owner of their own store without a row.
    const database = new Database(join(folder, "plantstore.db"), { readonly: true });
    expect(database.query("SELECT count(*) AS rows FROM members").get()).toEqual({ rows: 0 });
    database.close();
    await besideOlder(service, folder, version, browser);
    expect(await service.stop()).toBe(0);
    expect(service.output()).not.toContain('"level":"error"');
  },
);

/** By the statements of the older server, which writes the columns that its own tables had. */
async function besideOlder(service: TestService, folder: string, version: string, owner: TestBrowser): Promise<void> {
  await Bun.write(join(folder, "older.db"), await fixture(`plantstore-${version}.db.zst`));
  const before = new Database(join(folder, "older.db"));
  const older = new Database(join(folder, "plantstore.db"));
  older.run("PRAGMA busy_timeout = 10000");
  older.run("PRAGMA foreign_keys = ON");
  const columnsOf = (of: Database, table: string) =>
    of.query<Column, []>(`SELECT name, "notnull" AS required, dflt_value FROM pragma_table_info('${table}')`).all();
  /** Adds a copy of the rows, with other values in some columns. */
  const copy = (table: string, changed: Readonly<Record<string, string>>, where: string) => {
    const names = columnsOf(before, table).map(({ name }) => name);
    const values = names.map((name) => changed[name] ?? name);
    older.run(`INSERT INTO ${table} (${names}) SELECT ${values} FROM ${table} WHERE ${where}`);
  };
  const storeOf = async (by: TestBrowser) => (await (await by.get("/dashboard/api/session")).json()).store;

  // A downgrade finds its migrations done and changes no table; no column that it does not write is required.
  const names = "SELECT name FROM migrations ORDER BY name";
  const done = older.query<Column, []>(names).all();
  expect(done).toEqual(expect.arrayContaining(before.query<Column, []>(names).all()));
  const tables = before.query<Column, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  for (const { name: table } of tables.filter(({ name }) => !name.startsWith("plant_search"))) {
    const known = new Set(columnsOf(before, table).map(({ name }) => name));
    const added = columnsOf(older, table).filter(({ name }) => !known.delete(name));
    expect([table, [...known], added.filter((each) => each.required && each.dflt_value === null)]).toEqual([
      table,
      [],
      [],
    ]);
  }

  // It shows everybody the store of their own row: of who was invited, an empty one.
  const invited = { email: "hazel@example.test", role: "editor", link: true };
  const { link } = await (await owner.post("/dashboard/api/people/invitations", invited)).json();
  const hazel = new TestBrowser(service);
  const accepted = { token: new URL(link).searchParams.get("token"), name: "Hazel", password: PASSWORD };
  expect((await hazel.post("/dashboard/api/invitation/accept", accepted)).status).toBe(200);
  const shown = older.query<{ email: string; plants: number }, []>(`
    SELECT DISTINCT email, (SELECT count(*) FROM plants WHERE account = accounts.number) AS plants
    FROM sessions JOIN accounts ON accounts.id = sessions.user_id ORDER BY email`);
  expect(shown.all()).toEqual([
    { email: "grower@example.test", plants: expect.any(Number) },
    { email: "hazel@example.test", plants: 0 },
  ]);
  expect(await storeOf(hazel)).toMatchObject({ role: "editor" });

  // Whoever it makes an account for owns a store, and a token that it makes is good.
  copy("accounts", { number: "NULL", id: "'old'", email: "'old@example.test'" }, "email = 'grower@example.test'");
  const grower = "user_id = (SELECT id FROM accounts WHERE email = 'grower@example.test')";
  copy("credentials", { id: "'old'", user_id: "'old'", account_id: "'old'" }, grower);
  const old = new TestBrowser(service);
  expect((await old.signIn("old@example.test", PASSWORD)).status).toBe(200);
  expect(await storeOf(old)).toMatchObject({ id: "old", role: "owner" });
  const secret = newTokenSecret();
  copy(
    "tokens",
    { id: "'tok_old'", hash: `x'${Buffer.from(secretHash(secret)).toString("hex")}'` },
    "session_id IS NULL",
  );
  expect((await service.send("GET", "/v1/plants/7", { as: secret })).status).toBe(200);

  // It removes a store with its last owner, and leaves the others their sign-ins.
  older.run("DELETE FROM accounts WHERE email = 'grower@example.test'");
  expect(await storeOf(hazel)).toBe(null);
  expect((await hazel.signIn("hazel@example.test", PASSWORD)).status).toBe(200);
  expect((await owner.get("/dashboard/api/session")).status).toBe(401);
  older.close();
  before.close();
}

interface Column {
  readonly name: string;
  readonly required: number;
  readonly dflt_value: string | null;
}
