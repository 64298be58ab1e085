import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filledDatabase } from "#test/support/filled-database.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { readCatalogue } from "./catalogue.ts";
import { createBackup } from "./create-backup.ts";
import { giveId } from "./database-writes.ts";
import type { Chunks } from "./destination.ts";
import { FolderDestination } from "./folder-destination.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");

const original = await filledDatabase(temporaryFolder());

let folder: string;
let database: string;
let kept: string;
let destination: FolderDestination;
beforeEach(() => {
  folder = temporaryFolder();
  database = join(folder, "plantstore.db");
  kept = join(folder, "backups");
  destination = new FolderDestination(kept);
  cpSync(original, database);
});

const create = (more: object = {}) =>
  createBackup({ database, destination, recipients: [], version: "1.2.3", giveId, ...more });
/** The names beside the database: nothing of a copy may stay. */
const beside = () => readdirSync(folder).filter((name) => name.includes("-backup-"));

describe("a backup", () => {
  test("says in its manifest what the database holds, and is listed", async () => {
    const { name, manifest } = await create();
    expect(manifest).toMatchObject({ plants: 20, accounts: 2, last_number: 20, version: "1.2.3", verified_at: null });
    expect(manifest.compressed).toBe(readFileSync(join(kept, `${name}.db.zst`)).length);
    expect((await readCatalogue(destination)).backups).toEqual([{ name, manifest }]);
    expect(beside()).toEqual([]);
  });

  test("does not take the name of a file whose manifest was never written", async () => {
    setSystemTime(NOW);
    const { name } = await create();
    await destination.remove(`${name}.json`);
    const before = readFileSync(join(kept, `${name}.db.zst`));
    const second = await create();
    setSystemTime();
    expect(second.name).not.toBe(name);
    expect(readFileSync(join(kept, `${name}.db.zst`))).toEqual(before);
  });
});

describe("a backup that cannot be made", () => {
  test("of a file that is not there is refused by its path, and makes no file", async () => {
    const missing = join(folder, "missing.db");
    await expect(create({ database: missing })).rejects.toThrow(`There is no database file ${missing}`);
    expect([existsSync(missing), existsSync(kept)]).toEqual([false, false]);
  });

  test("for something that is no age key is refused before the database is copied", async () => {
    await expect(create({ recipients: ["age1nobody"] })).rejects.toThrow("key 1 is none");
    expect(existsSync(kept)).toBe(false);
  });

  test("because the store fails leaves no manifest, and nothing of the copy", async () => {
    class FullFolder extends FolderDestination {
      override async write(file: string, chunks: Chunks): Promise<void> {
        if (!file.endsWith(".json")) return super.write(file, chunks);
        throw new Error("no room");
      }
    }
    await expect(create({ destination: new FullFolder(kept) })).rejects.toThrow("no room");
    expect((await readCatalogue(destination)).backups).toEqual([]);
    expect(beside()).toEqual([]);
  });

  test("of a damaged database is refused, and leaves no backup of it", async () => {
    const bytes = readFileSync(database);
    bytes.fill(0x5a, 8192, bytes.length - 4096);
    writeFileSync(database, bytes);
    await expect(create()).rejects.toThrow(/damaged|malformed|corrupt/);
    expect(existsSync(kept)).toBe(false);
    expect(beside()).toEqual([]);
  });

  test("of a database of which an index alone is damaged is refused too, and leaves nothing", async () => {
    const opened = new Database(database);
    opened.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const [[page] = []] = opened.query("SELECT rootpage FROM sqlite_schema WHERE name = 'members_person'").values();
    opened.close();
    const bytes = readFileSync(database);
    bytes.fill(0xff, (Number(page) - 1) * 2048, Number(page) * 2048);
    writeFileSync(database, bytes);
    await expect(create()).rejects.toThrow(`The database file ${database} is damaged: `);
    expect(existsSync(kept)).toBe(false);
  });
});
