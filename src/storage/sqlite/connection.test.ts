import { Database } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { openStorage } from "../open.ts";
import { networkDisk, openForReading, openForWriting, UnusableFile } from "./connection.ts";
import { LOG_HELD } from "./log-hold.ts";

const newPath = () => join(temporaryFolder(), "plantstore.db");

function pragma(database: Database, name: string): unknown {
  return Object.values(database.query(`PRAGMA ${name}`).get() as object)[0];
}

describe("a file that is opened for writing", () => {
  test("is on disk after each commit, and never waits inside SQLite for another process", () => {
    const database = openForWriting(newPath());
    const FULL = 2;
    const names = ["journal_mode", "synchronous", "busy_timeout", "foreign_keys", "wal_autocheckpoint"];
    expect(names.map((name) => pragma(database, name))).toEqual(["wal", FULL, 0, 1, 0]);
    database.close();
  });

  test("has small pages if it is new, and keeps those of an earlier release", () => {
    const [earlier, later] = [newPath(), newPath()];
    const made = new Database(earlier);
    made.run("PRAGMA page_size = 4096");
    made.run("PRAGMA application_id = 0x504c4e54");
    made.close();
    const opened = [earlier, later].map((path) => openForWriting(path));
    expect(opened.map((database) => pragma(database, "page_size"))).toEqual([4096, 2048]);
    for (const database of opened) database.close();
  });

  test("gives the space of its log back that a snapshot let grow, once that is gone", () => {
    const path = newPath();
    const database = openForWriting(path);
    database.run("CREATE TABLE kept (text)");
    const reading = openForReading(path);
    reading.run("BEGIN");
    reading.query("SELECT * FROM kept").all();
    database.run("INSERT INTO kept VALUES ('meanwhile')");
    // As long as if much had been written, whose place is not read.
    truncateSync(`${path}-wal`, 2 * LOG_HELD.each);
    reading.close();
    database.run("PRAGMA wal_checkpoint(PASSIVE)");
    database.run("INSERT INTO kept VALUES ('afterwards')");
    expect(statSync(`${path}-wal`).size).toBe(LOG_HELD.each);
    database.close();
  });

  test("is closed when close() returns, whatever statements were prepared, and leaves no write-ahead log", () => {
    const path = newPath();
    const database = openForWriting(path);
    database.run("CREATE TABLE kept (text)");
    const insert = database.prepare("INSERT INTO kept VALUES (?)");
    const reading = openForReading(path);
    const rows = reading.prepare("SELECT count(*) AS rows FROM kept");
    insert.run("once");
    expect(rows.get()).toEqual({ rows: 1 });
    for (let query = 0; query < 200; query++) reading.query(`SELECT ${query} FROM kept`).get();
    reading.close();
    database.close();
    expect(readdirSync(dirname(path))).toEqual(["plantstore.db"]);
  });

  test.each([
    ["is another program's database", "CREATE TABLE theirs (text)"],
    ["is marked as another program's, though it has no table", "PRAGMA application_id = 7"],
  ])("is refused where it %s, and is left as it was", (_, statement) => {
    const path = newPath();
    const theirs = new Database(path, { create: true });
    theirs.run(statement);
    theirs.close();
    const before = readFileSync(path);
    expect(() => openForWriting(path)).toThrow(new UnusableFile(`${path} is a database of another program`));
    expect(readFileSync(path)).toEqual(before);
  });

  test("is taken where another process claims and fills it between two queries", () => {
    const path = newPath();
    let queries = 0;
    const { query } = Database.prototype;
    using _query = spyOn(Database.prototype, "query").mockImplementation(function (this: Database, text: string) {
      if (queries++ === 1) openForWriting(path).run("CREATE TABLE plants (id)");
      return query.call(this, text);
    } as typeof query);
    const database = openForWriting(path);
    expect(pragma(database, "application_id")).toBe(0x504c4e54);
    database.close();
  });

  test("is refused where it is no database, and is left as it was", () => {
    const path = newPath();
    const text = "a list of plants, written by hand, which is longer than the head of a page of SQLite. ".repeat(20);
    writeFileSync(path, text);
    expect(() => openForWriting(path)).toThrow("file is not a database");
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});

test("a connection that only reads writes nothing, and sees what was committed since", async () => {
  const path = newPath();
  const { records } = await openStorage(`sqlite:${path}`);
  const reading = openForReading(path);
  expect(() => reading.run("INSERT INTO kept_secrets VALUES ('a', 'b')")).toThrow("readonly");
  await records.keptSecret("name", () => "value");
  expect(reading.query("SELECT value FROM kept_secrets WHERE name = 'name'").get()).toEqual({ value: "value" });
  reading.close();
  await records.close();
});

test("a network disk is known by the number of its file system, however it is signed, and a disk of the machine is none", () => {
  const [EXT4, TMPFS] = [0xef53, 0x01021994];
  expect([0x6969, 0x517b, 0xff534d42 | 0, 0xfe534d42, EXT4, TMPFS].map(networkDisk)).toEqual([
    "NFS",
    "SMB",
    "SMB",
    "SMB",
    undefined,
    undefined,
  ]);
});
