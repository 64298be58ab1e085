import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { UnusableDatabase } from "#core/failure.ts";
import { atEnd } from "#test/support/at-end.ts";
import { ENGINES, newDatabase, type TestEngine } from "#test/support/engines.ts";
import { LAST_SCHEMA, lastSchemaDatabase } from "#test/support/last-schema.ts";
import { openForMigrations } from "#test/support/migrations.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/test-records.ts";
import { newMark } from "#threads/process-mark.ts";
import type { Queries } from "./database-access.ts";
import { DATABASE_NOW } from "./engine.ts";
import { MIGRATIONS, migrate } from "./migrate.ts";
import { openStorage } from "./open.ts";
import { searchTable } from "./sqlite/search-table.ts";
import type { Storage } from "./storage.ts";

const UPGRADES = { upgrades: true };

async function rowsOf<Row = Record<string, unknown>>(db: Queries, query: string): Promise<Row[]> {
  return [...(await sql.raw<Row>(query).execute(db)).rows];
}

const migrations = async ({ db }: Pick<Storage, "db">) =>
  (await rowsOf<{ name: string }>(db, "SELECT name FROM migrations ORDER BY name")).map(({ name }) => name);

describe.each(ENGINES)("the schema, on %s", (engine) => {
  let url: string;
  let storage: Storage;
  beforeAll(async () => {
    url = await newDatabase(engine, join(temporaryFolder()));
    // Three processes start at once on a database that is empty.
    const [first, ...others] = await Promise.all([openStorage(url), openStorage(url), openStorage(url)]);
    storage = first;
    for (const { records } of others) await records.close();
  });
  afterAll(() => storage.records.close());

  test("is made once by processes that start together", async () => {
    expect(await migrations(storage)).toEqual(Object.keys(MIGRATIONS));
    await newAccount(storage);
  });

  test("that a newer version has migrated further is used as it is by an older node", async () => {
    await sql`INSERT INTO migrations (name, timestamp) VALUES ('9999-of-a-newer-version', '')`.execute(storage.db);
    const older = await openStorage(url);
    expect(await older.reads.stores.list()).toHaveLength(1);
    await older.records.close();
    expect((await migrations(storage)).at(-1)).toBe("9999-of-a-newer-version");
    await sql`DELETE FROM migrations WHERE name = '9999-of-a-newer-version'`.execute(storage.db);
  });

  test("that a newer version has changed so that older ones must end is refused, also by those that use it", async () => {
    const reasons: string[] = [];
    const open = await openStorage(url, { onUnusable: ({ message }) => reasons.push(message) });
    await open.records.tokens.findByHash([new Uint8Array(32)]);
    await sql`INSERT INTO migrations (name, timestamp) VALUES ('9999-people-breaking', '')`.execute(storage.db);
    const opening = openStorage(url).catch((error) => error);
    expect(await opening).toBeInstanceOf(UnusableDatabase);
    const { message } = await opening;
    expect(message).toContain("newer Plantstore (9999-people-breaking)");
    await expect(open.records.tokens.findByHash([new Uint8Array(32)])).rejects.toMatchObject({ code: "unavailable" });
    const signal = AbortSignal.timeout(10_000);
    await open.jobs
      .find(({ name }) => name === "schema")
      ?.run({ now: 0, signal })
      .catch(() => {});
    expect(reasons).toEqual([message, message]);
    await open.records.close();
    await sql`DELETE FROM migrations WHERE name = '9999-people-breaking'`.execute(storage.db);
  });

  test("gets a further migration once, by whoever starts first, beside nodes that go on", async () => {
    const later = { ...MIGRATIONS, "0025-later": () => ["CREATE TABLE later (id text)"] };
    const nodes = [1, 2, 3].map(() => openForMigrations(engine, url));
    await Promise.all(nodes.map(({ db }) => migrate(db, engine, { upgrades: false }, later)));
    for (const { close } of nodes) await close();
    expect(await migrations(storage)).toEqual(Object.keys(later));
    await newAccount(storage);
  });

  test("of which a migration fails keeps nothing of the migrations of that start", async () => {
    const failing = {
      ...MIGRATIONS,
      "0026-good": () => ["CREATE TABLE good (id text)"],
      "0027-bad": () => ["CREATE bad"],
    };
    const { db, close } = openForMigrations(engine, url);
    await expect(migrate(db, engine, UPGRADES, failing)).rejects.toThrow(/syntax error/);
    await close();
    expect(await migrations(storage)).not.toContain("0026-good");
    await expect(rowsOf(storage.db, "SELECT * FROM good")).rejects.toThrow();
  });
});

describe.each(ENGINES)("a database of the last schema before people and stores were apart, on %s,", (engine) => {
  const last = LAST_SCHEMA[engine];
  const opened = async (url: string) => openStorage(url, UPGRADES);
  const refused = async (url: string, rights = UPGRADES) => {
    const error = await openStorage(url, rights).catch((error) => error);
    expect(error).toBeInstanceOf(UnusableDatabase);
    return error.message;
  };

  test("gets the tables of a new one", async () => {
    const [url, newUrl] = [
      await lastSchemaDatabase(engine, temporaryFolder()),
      await newDatabase(engine, temporaryFolder()),
    ];
    const [upgraded, made] = [await opened(url), await opened(newUrl)];
    expect(await schemaOf(upgraded)).toEqual(await schemaOf(made));
    expect(await migrations(upgraded)).toEqual(await migrations(made));
    await upgraded.records.close();
    await made.records.close();
  });

  test("keeps its people, stores, roles, credentials, tokens, mail and logs", async () => {
    const { db, records } = await opened(await lastSchemaDatabase(engine, temporaryFolder()));
    const [people, stores] = [await rowsOf(db, "SELECT * FROM people"), await rowsOf(db, "SELECT * FROM stores")];
    const idOf = (name: string) => people.find(({ email }) => email === `${name}@example.test`)?.id as string;
    const numberOf = (id: string) => Number(stores.find((store) => store.id === id)?.number);
    const [ada, bo, cleo, eve, hal] = ["ada", "bo", "cleo", "eve", "hal"].map(idOf) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const { people: founders } = last;

    // Bo left the store that they made; Cleo and Finn were invited; Gus removed their account.
    expect(people.map(({ email }) => email).sort()).toEqual(
      ["ada", "bo", "cleo", "eve", "finn", "hal"].map((name) => `${name}@example.test`),
    );
    expect([ada, eve, hal]).toEqual([founders.ada.id, founders.eve.id, founders.hal.id]);
    expect(bo).not.toBe(founders.bo.id);
    expect(stores.map(({ id, name, test }) => [id, name, Boolean(test)]).sort()).toEqual(
      [
        [founders.ada.id, "Nursery", false],
        [founders.bo.id, "bo", false],
        [founders.eve.id, "eve", false],
        [founders.hal.id, "Hal", false],
        [last.testStore, "Trial", true],
      ].sort(),
    );
    const members = await rowsOf(db, "SELECT store, person, role FROM members");
    const [nursery, left, trial] = [numberOf(founders.ada.id), numberOf(founders.bo.id), numberOf(last.testStore)];
    expect(members.map(({ store, person, role }) => [Number(store), person, role]).sort()).toEqual(
      [
        [nursery, ada, "owner"],
        [nursery, bo, "editor"],
        [nursery, cleo, "viewer"],
        [left, ada, "owner"],
        [numberOf(founders.eve.id), eve, "owner"],
        [numberOf(founders.hal.id), hal, "owner"],
        [trial, ada, "owner"],
      ].sort(),
    );

    const isSealed = expect.stringMatching(/^[0-9a-f]+$/);
    const factors = {
      second_factor: isSealed,
      backup_codes: isSealed,
      pending_second_factor: null,
      pending_backup_codes: null,
    };
    expect(people.find(({ id }) => id === ada)).toMatchObject({
      ...factors,
      password: expect.stringContaining("$argon2id"),
    });
    const pending = { second_factor: null, backup_codes: null, pending_second_factor: isSealed };
    expect(people.find(({ id }) => id === eve)).toMatchObject(pending);
    const key = { person: ada, name: "Ada's key", counter: 0xffff_fff0 };
    expect(await rowsOf(db, "SELECT person, name, counter FROM passkeys")).toEqual([key]);
    expect(await rowsOf(db, "SELECT person FROM trusted_devices")).toEqual([{ person: ada }]);
    const identity = { person: hal, issuer: "https://login.example", subject: "hal-1", email: "hal@corp.example" };
    expect(await rowsOf(db, "SELECT person, issuer, subject, email FROM identities")).toEqual([identity]);
    expect(await rowsOf(db, "SELECT person FROM failed_sign_ins")).toEqual([{ person: eve }]);

    expect((await rowsOf(db, "SELECT name, made_by FROM tokens ORDER BY name")).map(Object.values)).toEqual([
      ["Bo's", bo],
      ["Left", bo],
      ["Operator", null],
      ["Till", ada],
    ]);
    const invited = { email: "dan@example.test", role: "developer", made_by: ada };
    expect(await rowsOf(db, "SELECT email, role, made_by FROM invitations")).toEqual([invited]);
    const mail = (await rowsOf<{ mail: string }>(db, "SELECT mail FROM mail_queue")).map((row) => JSON.parse(row.mail));
    expect(mail.filter(({ kind, person }) => kind === "notice" && person === ada)).toHaveLength(4);
    expect(mail.every((each) => each.account === undefined && each.person)).toBe(true);

    const entries = await rowsOf(db, "SELECT account, person, action FROM audit_entries ORDER BY id");
    const actionsOf = (of: Record<string, unknown>) =>
      entries
        .filter((entry) => Object.entries(of).every(([key, value]) => entry[key] === value))
        .map(({ action }) => action);
    expect(actionsOf({ person: ada })).toEqual([
      ...["account.created", "sign_in.succeeded", "passkey.added", "second_factor.enabled", "sign_in.succeeded"],
    ]);
    expect(actionsOf({ person: bo })).toEqual(["account.created", "sign_in.succeeded"]);
    expect(actionsOf({ person: founders.gus.id })).toEqual(["account.deleted"]);
    expect(actionsOf({ person: hal })).toContain("settings.changed");
    expect(actionsOf({ account: left }).at(-1)).toBe("member.left");
    expect(actionsOf({ account: nursery })).toContain("settings.changed");

    // Neither a removed store's number nor that of a person is given out again.
    const { number } = await db
      .insertInto("stores")
      .values({ id: "next", name: "", created_at: 0 })
      .returning("number")
      .executeTakeFirstOrThrow();
    expect(number).toBe(trial + 1);
    await records.close();
  });

  test("takes the maker of a token from before makers were noted for its founder, but for the operator's", async () => {
    const url = await lastSchemaDatabase(engine, temporaryFolder());
    const { db, close } = openForMigrations(engine, url);
    await sql`UPDATE tokens SET made_by = NULL`.execute(db);
    await sql`UPDATE migrations SET timestamp = '2999-01-01T00:00:00.000Z' WHERE name = '0020-people'`.execute(db);
    await close();
    const { db: upgraded, records } = await opened(url);
    const [bo] = await rowsOf(upgraded, "SELECT id FROM people WHERE email = 'bo@example.test'");
    expect((await rowsOf(upgraded, "SELECT name, made_by FROM tokens ORDER BY name")).map(Object.values)).toEqual([
      ["Bo's", bo?.id],
      ["Left", bo?.id],
      ["Operator", null],
      ["Till", last.people.ada.id],
    ]);
    await records.close();
  });

  test("has a notice for the owners of a store still sent to them alone", async () => {
    const url = await lastSchemaDatabase(engine, temporaryFolder());
    const { db, close } = openForMigrations(engine, url);
    const notice = { about: "webhook-disabled", at: 1, what: "we_1" };
    const mail = JSON.stringify({ kind: "notice", store: 1, notice, account: 1 });
    await sql`INSERT INTO mail_queue VALUES ('mail_0', ${mail}, 1, 1, 0, 'ada@example.test')`.execute(db);
    await close();
    const { db: upgraded, records } = await opened(url);
    const [row] = await rowsOf<{ mail: string }>(upgraded, "SELECT mail FROM mail_queue WHERE id = 'mail_0'");
    const person = last.people.ada.id;
    expect(JSON.parse(row?.mail ?? "")).toEqual({ kind: "notice", store: 1, forOwners: true, notice, person });
    await records.close();
  });

  test("is refused by a command, and stays as it is when its upgrade fails", async () => {
    const url = await lastSchemaDatabase(engine, temporaryFolder());
    expect(await refused(url, { upgrades: false })).toContain("start `plantstore serve` on it first");
    const { db, close } = openForMigrations(engine, url);
    await sql`CREATE TABLE people (id text)`.execute(db);
    await close();
    await expect(opened(url)).rejects.toThrow(/already exists/);
    const again = openForMigrations(engine, url);
    expect((await sql`SELECT number FROM accounts`.execute(again.db)).rows).toHaveLength(8);
    await sql`DROP TABLE people`.execute(again.db);
    await again.close();
    await (await opened(url)).records.close();
  });

  test("of an older commit is refused in one sentence", async () => {
    const url = await lastSchemaDatabase(engine, temporaryFolder());
    const { db, close } = openForMigrations(engine, url);
    await sql`DELETE FROM migrations WHERE name >= '0023'`.execute(db);
    await close();
    expect(await refused(url)).toMatch(/^The database has the schema of a Plantstore from before 1\.0\.0 [^.]+$/);
  });

  test("is whole, old or new, wherever its upgrade is killed, and is upgraded by the next start", async () => {
    const url = await lastSchemaDatabase(engine, temporaryFolder());
    for (const statements of [5, 30, 55, 80]) {
      const script = `
        const { MIGRATIONS, migrate } = await import("#storage/migrate.ts");
        const { openForMigrations } = await import("#test/support/migrations.ts");
        let left = ${statements};
        const { db } = openForMigrations("${engine}", ${JSON.stringify(url)}, () => {
          if (--left === 0) process.kill(process.pid, "SIGKILL");
        });
        await migrate(db, "${engine}", { upgrades: true })`;
      const child = Bun.spawn([process.execPath, "-e", script], { cwd: import.meta.dir, stderr: "pipe" });
      const problem = await new Response(child.stderr).text();
      expect([await child.exited, problem]).toEqual([137, ""]);
      const { db, close } = openForMigrations(engine, url);
      const tables = (await db.introspection.getTables()).map(({ name }) => name);
      expect(tables).toContain("accounts");
      expect(tables.filter((name) => /^(?:old_|people|stores)/.test(name))).toEqual([]);
      await close();
    }
    const { db, records } = await opened(url);
    expect(await rowsOf(db, "SELECT id FROM people")).toHaveLength(6);
    await records.close();
  });
});

test.each(ENGINES)("the upgrade empties the search index, whose names have a former form, on %s", async (engine) => {
  const url = await lastSchemaDatabase(engine, temporaryFolder());
  const { db, close } = openForMigrations(engine, url);
  const former = {
    sqlite: [
      ...searchTable("plant_search_8", 8),
      "DELETE FROM plant_search_ranges",
      "INSERT INTO plant_search_ranges (range, first, last, until, state) VALUES (8, 1, 4, 4, 'whole'), (9, 5, 5, 9, 'old')",
    ],
    postgres: [
      "INSERT INTO plant_search_marks (account, number) SELECT number, 99 FROM accounts",
      "INSERT INTO plant_search (account, number, id, text) SELECT account, number, id, 'former' FROM plants",
    ],
  };
  for (const statement of former[engine]) await sql.raw(statement).execute(db);
  await close();
  const upgraded = await openStorage(url, UPGRADES);
  const account = (
    await rowsOf<{ number: number }>(upgraded.db, "SELECT number FROM stores WHERE name = 'Nursery'")
  )[0];
  const query = { order: "id", limit: 10, tag: undefined, q: "lyrata", after: undefined } as const;
  const found = await upgraded.reads.plants.list(account?.number ?? 0, query);
  expect(found.plants.map(({ name }) => name)).toEqual(["Ficus lyrata"]);
  const left = engine === "sqlite" ? "plant_search_ranges WHERE first <= last OR state <> 'whole'" : "plant_search";
  expect(await rowsOf(upgraded.db, `SELECT 1 FROM ${left}`)).toEqual([]);
  await upgraded.records.close();
});

test("on SQLite the upgrade waits for no other process: it is refused while one has the file open", async () => {
  const url = await lastSchemaDatabase("sqlite", temporaryFolder());
  const script = `const { Database } = require("bun:sqlite");
    const database = new Database(${JSON.stringify(url.slice("sqlite:".length))});
    database.query("SELECT count(*) FROM accounts").get();
    console.log("open");
    setInterval(() => database, 1000)`;
  const other = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  atEnd(() => other.kill("SIGKILL"));
  await other.stdout.getReader().read();
  await expect(openStorage(url, UPGRADES)).rejects.toThrow(/while another process has it open: stop that/);
  other.kill("SIGKILL");
  await other.exited;
  await (await openStorage(url, UPGRADES)).records.close();
});

test("on PostgreSQL the upgrade is refused while a node holds its mark or a lease", async () => {
  const url = await lastSchemaDatabase("postgres", temporaryFolder());
  const { db, close } = openForMigrations("postgres", url);
  const held = (ms: number) =>
    sql`INSERT INTO leases VALUES ('job', ${newMark()}, ${DATABASE_NOW.postgres} + ${sql.lit(ms)})`.execute(db);
  await held(10_000);
  await expect(openStorage(url, UPGRADES)).rejects.toThrow(
    /while a node of an older Plantstore serves it: stop them all/,
  );
  await sql`DELETE FROM leases`.execute(db);
  await held(-1000);
  await close();
  await (await openStorage(url, UPGRADES)).records.close();
});

/** Everything that a schema says, but for the order of columns and white space. */
async function schemaOf({ db, engine }: Storage): Promise<unknown> {
  const words = (text: unknown) => String(text).replace(/\s+/g, " ").trim();
  const found = await Promise.all(SCHEMA[engine].map((query) => rowsOf(db, query)));
  return found.map((rows) => rows.map((row) => Object.values(row).map(words).join(" | ")).sort());
}

const SCHEMA: Readonly<Record<TestEngine, readonly string[]>> = {
  sqlite: [
    `SELECT tables.name AS "table", columns.* FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT GLOB 'plant_search_[0-9]*'`,
    `SELECT tables.name AS "table", keys.* FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys`,
    "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type <> 'table' AND tbl_name NOT GLOB 'plant_search_[0-9]*'",
    "SELECT name FROM counters",
  ].map((query) =>
    query.replace("columns.*", 'columns.name, columns.type, columns."notnull", columns.dflt_value, columns.pk'),
  ),
  postgres: [
    `SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity, identity_generation
    FROM information_schema.columns WHERE table_schema = 'public'`,
    "SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid <> 0 AND connamespace = 'public'::regnamespace",
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c')",
    "SELECT sequencename, min_value, start_value, increment_by FROM pg_sequences WHERE schemaname = 'public'",
  ],
};

/** Tables of one engine alone. */
const OF_ONE_ENGINE = {
  sqlite: /^(?:counters|plant_search(?:_\w+)?)$/,
  postgres: /^(?:plant_search(?:_\w+)?|requests(?:_\d+)?|request_counts)$/,
};

test("both engines have the same tables with the same columns, but for those of one engine", async () => {
  const schemas = await Promise.all(
    ENGINES.map(async (engine) => {
      const { records, db } = await openStorage(await newDatabase(engine, temporaryFolder()));
      if (!(db instanceof Kysely)) throw new Error("the queries are not Kysely's");
      const tables = await db.introspection.getTables();
      await records.close();
      return tables
        .filter(({ name }) => !OF_ONE_ENGINE[engine].test(name))
        .map(({ name, columns }) => [name, columns.map((column) => column.name).sort()] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1));
    }),
  );
  expect(schemas[0]).toEqual(schemas[1] as never);
  expect(schemas[0]?.length).toBeGreaterThan(20);
});
