import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newPlants } from "#test/support/plant-lists.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { openTestRecords, type TestRecords } from "#test/support/test-records.ts";
import { CHECKS } from "./check-parts.ts";
import { openForWriting } from "./connection.ts";
import { checkDatabase } from "./database-check.ts";
import { withSnapshotCopy } from "./snapshot-copy.ts";

const PLANTS = 500;
let testRecords: TestRecords;
let path: string;
let account: number;

beforeAll(async () => {
  testRecords = await openTestRecords("sqlite");
  path = testRecords.url.slice("sqlite:".length);
  account = await testRecords.accountWith(newPlants(PLANTS));
});
afterAll(() => testRecords.end());

const newCopy = () => join(temporaryFolder(), "copy.db");

async function copied(change?: (database: Database) => void): Promise<string> {
  const copy = newCopy();
  await withSnapshotCopy(path, async ({ chunks, checked }) => {
    writeFileSync(copy, await Array.fromAsync(chunks()).then((parts) => Buffer.concat(parts)));
    expect((await checked()).bytes).toBe(statSync(copy).size);
  });
  if (change) {
    const database = new Database(copy);
    change(database);
    database.close();
  }
  return copy;
}

/** A database of several chunks. */
async function cpDatabase(file: string): Promise<void> {
  cpSync(await copied(), file);
  const database = new Database(file);
  database.run("UPDATE plants SET name = name || hex(randomblob(5000))");
  database.close();
}

/** Not busy if no snapshot holds the log. */
const restart = (writer: Database) => writer.query("PRAGMA wal_checkpoint(RESTART)").get();

describe("a copy of a database", () => {
  test("holds what was committed, also what is in the write-ahead log alone, and is a file of its own", async () => {
    const copy = await copied();
    expect(existsSync(`${copy}-wal`)).toBe(false);
    const { schema, bytes, ...content } = await checkDatabase(copy);
    expect(content).toEqual({ plants: PLANTS, accounts: 1, lastNumber: PLANTS, database: undefined });
    expect(schema).toMatch(/^00\d\d-/);
    expect(bytes).toBe(statSync(copy).size);
  });

  test("is of one moment, whatever is written meanwhile, and the writer goes on", async () => {
    const creating = Array.from({ length: 20 }, (_, at) =>
      testRecords.records.plants.create(account, { id: BigInt(-1 - at), name: "meanwhile", tag: undefined }),
    );
    const copy = await copied();
    expect(await Promise.all(creating)).toEqual(Array(20).fill("created"));
    const { plants, lastNumber } = await checkDatabase(copy);
    expect(plants).toBe(lastNumber);
  });

  test("has every row as it was when it began, though changes and checkpoints go on under it", async () => {
    const file = join(temporaryFolder(), "changing.db");
    await cpDatabase(file);
    const writer = openForWriting(file);
    const names = (database: Database) => database.query("SELECT id, name FROM plants ORDER BY id").values();
    const change = (text: string) => writer.run("UPDATE plants SET name = ? || substr(name, -10000)", [text]);
    for (const isCheckpointed of [false, true]) {
      change(`before ${isCheckpointed} `);
      if (isCheckpointed) writer.run("PRAGMA wal_checkpoint(PASSIVE)");
      const before = names(writer);
      const copy = newCopy();
      await withSnapshotCopy(file, async ({ chunks, checked }) => {
        const parts: Uint8Array[] = [];
        change("after ");
        writer.run("PRAGMA wal_checkpoint(PASSIVE)");
        for await (const chunk of chunks()) {
          parts.push(chunk);
          change(`meanwhile ${parts.length} `);
          writer.run("PRAGMA wal_checkpoint(PASSIVE)");
        }
        writeFileSync(copy, Buffer.concat(parts));
        await checked();
      });
      await checkDatabase(copy);
      const copied = new Database(copy, { readonly: true });
      expect(names(copied)).toEqual(before);
      copied.close();
    }
    writer.close();
  });

  test("is ended when the log has grown beyond its bound, though nobody takes its chunks any more", async () => {
    const file = join(temporaryFolder(), "stalled.db");
    await cpDatabase(file);
    const writer = openForWriting(file);
    const stalled = withSnapshotCopy(
      file,
      async ({ chunks }) => {
        await chunks().next();
        for (let at = 0; at < 3; at++) writer.run("UPDATE plants SET name = ? || substr(name, -10000)", [`${at} `]);
        return new Promise<never>(() => {});
      },
      0,
    );
    await expect(stalled).rejects.toThrow(`${file}-wal grew by more than the size of the database meanwhile`);
    expect(restart(writer)).toMatchObject({ busy: 0 });
    writer.close();
  });

  test("that fails has let its snapshot go, though its check was under way", async () => {
    const file = join(temporaryFolder(), "slow.db");
    await cpDatabase(file);
    const writer = openForWriting(file);
    // The check of pages evaluates this for each row.
    writer.run("CREATE TABLE slow (bytes INTEGER CHECK (hex(zeroblob(bytes)) <> ''))");
    writer.run("PRAGMA ignore_check_constraints = ON");
    for (let row = 0; row < 20; row++) writer.run("INSERT INTO slow VALUES (30000000)");
    const left = withSnapshotCopy(file, async ({ chunks }) => {
      writer.run("INSERT INTO slow VALUES (1)");
      await chunks().next();
      expect(restart(writer)).toMatchObject({ busy: 1 });
      throw new Error("no room");
    });
    await expect(left).rejects.toThrow("no room");
    expect(restart(writer)).toMatchObject({ busy: 0 });
    writer.close();
  });

  test("of an account that is being removed is sound, though its plants go in slices", async () => {
    const copy = await copied((database) => {
      database.run("INSERT INTO removed_accounts VALUES (?, 0)", [account]);
      database.run("DELETE FROM plants WHERE account = ? AND id < 100", [account]);
    });
    expect((await checkDatabase(copy)).plants).toBe(0);
  });
});

describe("the check of a copy", () => {
  test.each<[string, (copy: string) => void]>([
    [
      "a page that was overwritten",
      (copy) => {
        const bytes = readFileSync(copy);
        bytes.fill(0xff, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 8192);
        writeFileSync(copy, bytes);
      },
    ],
    ["a file that was cut off", (copy) => writeFileSync(copy, readFileSync(copy).subarray(0, 40_000))],
    [
      "an index that disagrees with its table",
      (copy) => {
        const text = readFileSync(copy).toString("latin1");
        const index = "INDEX plants_id ON plants ";
        expect(text).toContain(`${index}(account, id)`);
        writeFileSync(copy, text.replaceAll(`${index}(account, id)`, `${index}(account,tag)`), "latin1");
      },
    ],
    [
      "a page that is used and free",
      (copy) => {
        const bytes = readFileSync(copy);
        // The first page of the list of free ones, and their number (https://www.sqlite.org/fileformat.html, 1.3).
        bytes.writeUInt32BE(2, 32);
        bytes.writeUInt32BE(1, 36);
        writeFileSync(copy, bytes);
      },
    ],
    ["one that is no database", (copy) => writeFileSync(copy, "not a database".repeat(100))],
    ["one without the tables of this service", (copy) => writeFileSync(copy, new Database(":memory:").serialize())],
  ])("finds %s", async (_, damage) => {
    const copy = await copied();
    damage(copy);
    await expect(checkDatabase(copy)).rejects.toThrow("is damaged: ");
  });

  test.each([
    ["of nulls", "CREATE INDEX own ON plants (tag)", 0],
    ["of some rows", "CREATE INDEX own ON plants (id) WHERE tag IS NULL", 0],
    ["of an expression", "CREATE INDEX own ON plants (lower(name))", 0],
    ["of an order of its own", "CREATE INDEX own ON plants (name COLLATE NOCASE DESC)", 0],
    ["of a strange name", `CREATE INDEX "an own ""name""" ON plants (created_at)`, 1],
  ])("finds nothing wrong with an index of the operator's own, %s, and what is", async (_, create, parts) => {
    const copy = await copied((database) => database.run(create));
    expect(CHECKS.tables(copy)).toHaveLength(parts);
    expect((await checkDatabase(copy)).plants).toBeGreaterThanOrEqual(PLANTS);
    behind(copy, "plants_number", another(9000));
    await expect(checkDatabase(copy)).rejects.toThrow("is damaged: ");
  });

  const INDEXES = {
    plants_id: "CREATE UNIQUE INDEX plants_id ON plants (account, id)",
    plants_number: "CREATE INDEX plants_number ON plants (account)",
  } as const;

  /** Acts while the file says that the index has no rows, so that the index keeps what it has. */
  function behind(copy: string, index: keyof typeof INDEXES, act: string): void {
    const usual = INDEXES[index];
    const none = `CREATE INDEX ${index} ON plants(0)WHERE 0`.padEnd(usual.length);
    const replace = (from: string, to: string) => {
      const text = readFileSync(copy).toString("latin1");
      expect(text).toContain(from);
      // A page may have an old copy of the text behind its rows.
      writeFileSync(copy, text.replaceAll(from, to), "latin1");
    };
    replace(usual, none);
    const database = new Database(copy);
    database.run(act);
    database.close();
    replace(none, usual);
  }
  const another = (id: number) =>
    `INSERT INTO plants (number, account, id, name, created_at, updated_at) SELECT 5000, account, ${id}, '', 0, 0 FROM plants LIMIT 1`;
  function checkIndexes(copy: string): void {
    for (const part of CHECKS.tables(copy)) CHECKS.plants({ path: copy, ...part });
  }

  test.each([
    ["plants_id", "no entry for a row", another(9000), "entries for"],
    ["plants_number", "no entry for a row", another(9000), "entries for"],
    ["plants_id", "an entry without a row", "DELETE FROM plants WHERE id = 3", "entries for"],
    ["plants_id", "the key of another row", "UPDATE plants SET id = 9000 WHERE id = 3", "1 are missing in an index"],
    [
      "plants_number",
      "the key of another row",
      "UPDATE plants SET account = 9 WHERE id = 3",
      "1 are missing in an index",
    ],
  ] as const)("finds that the index %s has %s", async (index, _, act, problem) => {
    const copy = await copied();
    behind(copy, index, act);
    expect(() => checkIndexes(copy)).toThrow(problem);
    await expect(checkDatabase(copy)).rejects.toThrow("is damaged: ");
  });

  test("finds two plants of one id, which a unique index has both", async () => {
    const copy = await copied();
    behind(copy, "plants_id", another(3));
    const text = readFileSync(copy).toString("latin1");
    const notUnique = INDEXES.plants_id.replace("UNIQUE INDEX plants_id", "INDEX        plants_id");
    writeFileSync(copy, text.replaceAll(INDEXES.plants_id, notUnique), "latin1");
    const database = new Database(copy);
    database.run("REINDEX");
    database.close();
    writeFileSync(copy, readFileSync(copy).toString("latin1").replaceAll(notUnique, INDEXES.plants_id), "latin1");
    expect(() => checkIndexes(copy)).toThrow("1 are missing in an index");
  });

  test("finds a count that disagrees with the rows, and says both", async () => {
    const copy = await copied((database) => database.run("DELETE FROM plants WHERE id = 3"));
    const all = (await checkDatabase(await copied())).plants;
    await expect(checkDatabase(copy)).rejects.toThrow(`its count of plants is ${all}, and it has ${all - 1}`);
  });
});
