import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT, temporaryFolder } from "#test/support/service.ts";
import { openForWriting } from "./connection.ts";
import { isOwnLog, SET_MARK } from "./log-mark.ts";

const KILLS = 15;

/** Changes a few pages in each transaction, and copies the log into the file now and then. */
const WRITER = `
  import { openForWriting } from "${ROOT}/src/storage/sqlite/connection.ts";
  import { SET_MARK } from "${ROOT}/src/storage/sqlite/log-mark.ts";
  const database = openForWriting(process.argv[1]);
  console.log("writes");
  for (let count = 0; ; count++) {
    database.run("BEGIN IMMEDIATE");
    database.run("INSERT INTO plants (id, name) VALUES (abs(random()) % 3000, hex(randomblob(abs(random()) % 3000))) ON CONFLICT (id) DO UPDATE SET name = excluded.name");
    database.run(SET_MARK);
    database.run("COMMIT");
    if (Math.random() < 0.1) database.query("PRAGMA wal_checkpoint(PASSIVE)").get();
  }`;

function newDatabase(): string {
  const path = join(temporaryFolder(), "plantstore.db");
  const database = openForWriting(path);
  database.run("CREATE TABLE counters (name text PRIMARY KEY, value integer NOT NULL) WITHOUT ROWID");
  database.run("INSERT INTO counters VALUES ('plant_number', 0), ('plant_indexed', 0)");
  database.run("CREATE TABLE plants (id integer PRIMARY KEY, name text)");
  database.run("CREATE INDEX names ON plants (name)");
  database.close();
  return path;
}

async function writeAndKill(path: string): Promise<void> {
  const child = Bun.spawn([process.execPath, "-e", WRITER, path], { stdout: "pipe", stderr: "inherit" });
  await child.stdout.getReader().read();
  await Bun.sleep(Math.random() * 100);
  child.kill("SIGKILL");
  await child.exited;
}

/** What SQLite makes of copies of the file and the log, whatever the marks say. */
function read(file: string, log: string) {
  const folder = mkdtempSync(join(temporaryFolder(), "read-"));
  const path = join(folder, "plantstore.db");
  copyFileSync(file, path);
  if (existsSync(log)) copyFileSync(log, `${path}-wal`);
  const isOwn = isOwnLog(path);
  const database = new Database(path);
  try {
    const rows = database.query("SELECT group_concat(id || name) FROM (SELECT * FROM plants ORDER BY id)").values();
    const marks = database.query("SELECT hex(value) FROM counters WHERE name = 'log_mark'").values();
    const found = database.query("PRAGMA integrity_check").values();
    return { isOwn, content: Bun.hash(JSON.stringify([rows, marks, found])) };
  } catch {
    return { isOwn, content: undefined };
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}

test("a file and its log belong together after a kill at any moment, and an older file only if it loses nothing with it", async () => {
  const path = newDatabase();
  const kept = temporaryFolder();
  const older: string[] = [];
  let refused = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await writeAndKill(path);
    expect(isOwnLog(path)).toBe(true);
    const { content } = read(path, `${path}-wal`);
    for (const file of older) {
      const found = read(file, `${path}-wal`);
      if (!found.isOwn) refused++;
      // A log that was killed at its beginning has no transaction, and any file is whole without one.
      else if (found.content !== read(file, "/none").content) expect(found.content).toBe(content);
    }
    older.push(join(kept, `${kill}.db`));
    copyFileSync(path, join(kept, `${kill}.db`));
  }
  expect(refused).toBeGreaterThan(KILLS);
}, 60_000);

test("copies that other programs make do not belong to the log, and a pair that was copied does", async () => {
  const path = newDatabase();
  do await writeAndKill(path);
  while (!existsSync(`${path}-wal`) || read(path, `${path}-wal`).content === read(path, "/none").content);
  const elsewhere = join(temporaryFolder(), "elsewhere");
  cpSync(join(path, ".."), elsewhere, { recursive: true });
  expect(isOwnLog(join(elsewhere, "plantstore.db"))).toBe(true);
  const copy = join(elsewhere, "copy.db");
  const source = new Database(join(elsewhere, "plantstore.db"));
  source.run(`VACUUM INTO '${copy}'`);
  source.close();
  copyFileSync(copy, path);
  expect(isOwnLog(path)).toBe(false);
  rmSync(path);
  expect(isOwnLog(path)).toBe(false);
  rmSync(`${path}-wal`);
  expect(isOwnLog(path)).toBe(true);
});

test("a log of an earlier release, which has no marks, is taken as it is", () => {
  const path = newDatabase();
  const database = openForWriting(path);
  database.run("INSERT INTO plants VALUES (1, 'Fern')");
  const elsewhere = join(temporaryFolder(), "elsewhere");
  mkdirSync(elsewhere);
  for (const name of readdirSync(join(path, ".."))) copyFileSync(join(path, "..", name), join(elsewhere, name));
  expect(isOwnLog(join(elsewhere, "plantstore.db"))).toBe(true);
  database.run(SET_MARK);
  database.close();
});
