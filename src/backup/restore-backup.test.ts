import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { openStorage } from "#storage/open.ts";
import { discardRange } from "#storage/sqlite/discarded-range.ts";
import { checkSchema } from "#storage/sqlite/known-schema.ts";
import { rangeTable, searchTable } from "#storage/sqlite/search-table.ts";
import type { Storage } from "#storage/storage.ts";
import { openAuth } from "#test/support/auth-browser.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { newMigratedDatabase } from "#test/support/engines.ts";
import { filledDatabase } from "#test/support/filled-database.ts";
import { lastSchemaDatabase } from "#test/support/last-schema.ts";
import { addMember } from "#test/support/members.ts";
import { addHistories, DOERS, historiesOf } from "#test/support/plant-histories.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { PASSWORD } from "#test/support/test-browser.ts";
import { newAccount } from "#test/support/test-records.ts";
import { findBackup, keepManifest, readCatalogue } from "./catalogue.ts";
import { createBackup } from "./create-backup.ts";
import { giveId } from "./database-writes.ts";
import { FolderDestination } from "./folder-destination.ts";
import { type Backup, DamagedBackup } from "./manifest.ts";
import { restoreBackup, verifyBackup } from "./restore-backup.ts";

const identity = await generateX25519Identity();
const database = await filledDatabase(temporaryFolder());
const plainFolder = await folderWithBackup([]);
const encryptedFolder = await folderWithBackup([await identityToRecipient(identity)]);

let folder: string;
let destination: FolderDestination;
let backup: Backup;
let target: string;
beforeEach(() => open(plainFolder));

async function folderWithBackup(recipients: readonly string[]): Promise<string> {
  const path = temporaryFolder();
  await createBackup({ database, version: "1.2.3", destination: new FolderDestination(path), recipients, giveId });
  return path;
}

async function open(from: string): Promise<void> {
  folder = temporaryFolder();
  cpSync(from, join(folder, "backups"), { recursive: true });
  destination = new FolderDestination(join(folder, "backups"));
  backup = await findBackup(destination, "latest", undefined);
  target = join(folder, "restored", "plantstore.db");
}

const restore = (identities: string[] = []) => restoreBackup({ destination, backup, identities }, target);

/** A new store, and a function that closes it, backs it up and opens what is restored of that. */
async function storeToRestore(): Promise<[Storage, () => Promise<Storage>]> {
  const from = temporaryFolder();
  const storage = await openStorage(await newMigratedDatabase("sqlite", from));
  const restored = async () => {
    await storage.records.close();
    const to = new FolderDestination(temporaryFolder());
    await createBackup({
      database: join(from, "plantstore.db"),
      version: "1.2.3",
      destination: to,
      recipients: [],
      giveId,
    });
    await restoreBackup({ destination: to, backup: await findBackup(to, "latest", undefined), identities: [] }, target);
    return openStorage(`sqlite:${target}`);
  };
  return [storage, restored];
}

const content = () =>
  join(folder, "backups", `${backup.name}.db.zst${backup.manifest.recipients.length ? ".age" : ""}`);
const inTargetFolder = () => (existsSync(join(folder, "restored")) ? readdirSync(join(folder, "restored")) : []);

test("a backup of the last schema is verified, restored as it was, and brought up to date by a server", async () => {
  const url = await lastSchemaDatabase("sqlite", temporaryFolder());
  destination = new FolderDestination(temporaryFolder());
  const from = url.slice("sqlite:".length);
  await createBackup({ database: from, version: "1.2.3", destination, recipients: [], giveId: async () => {} });
  backup = await findBackup(destination, "latest", undefined);
  await verifyBackup({ destination, backup, identities: [] }, folder);
  await restore();
  const database = new Database(target);
  const schema = database.query("SELECT max(name) AS name FROM migrations").get();
  expect([schema, inTargetFolder()]).toEqual([{ name: "0023-session-secrets" }, ["plantstore.db"]]);
  database.close();
  const { db, records } = await openStorage(`sqlite:${target}`, { upgrades: true });
  expect(await db.selectFrom("people").select("id").execute()).toHaveLength(6);
  await records.close();
});

describe("a restored database", () => {
  test("holds what the manifest says, in one file that its owner alone reads", async () => {
    await restore();
    expect(inTargetFolder()).toEqual(["plantstore.db"]);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    const database = new Database(target, { readonly: true });
    expect(database.query("SELECT count(*) AS count FROM plants").get()).toEqual({ count: backup.manifest.plants });
    database.close();
  });

  test("has everybody in their roles, the stores with their rules, and an invitation that is taken there", async () => {
    const [storage, restored] = await storeToRestore();
    const first = await addMember(storage);
    const { account } = first.caller;
    const [second, editor] = [await addMember(storage, account), await addMember(storage, account, "editor")];
    await storage.records.tokens.add(first.caller, { name: "Till", scopes: [], expiresAt: undefined }, "a secret");
    await storage.records.stores.add(second.person, { name: "Trial", isTest: true }, false, second.caller);
    const factor = { second_factor: "sealed", backup_codes: "sealed" };
    await storage.db.updateTable("people").set(factor).where("id", "=", second.person.id).execute();
    await storage.records.stores.change(second.caller, { name: "Nursery", needsSecondFactor: true });
    const invited = { email: "new@example.test", role: "viewer" } as const;
    const { secret = "" } = await openAuth(storage).invitations.make(second.caller, invited);
    const { id } = first.person;
    await storage.records.members.leave(first.caller, first.person.id);
    const shown = async ({ records, reads }: Storage) => ({
      people: await records.members.list(account),
      stores: await records.members.storesOf(second.person),
      left: [await records.people.find({ email: first.person.email }), await records.members.storesOf({ id })],
      madeBy: (await reads.tokens.list(account)).map(({ madeBy }) => madeBy),
    });
    const before = await shown(storage);
    expect(before).toMatchObject({
      // In either order: they may have joined in the same millisecond.
      people: expect.arrayContaining([
        expect.objectContaining({ id: second.person.id, role: "owner" }),
        expect.objectContaining({ id: editor.person.id, role: "editor" }),
      ]),
      stores: expect.arrayContaining([
        expect.objectContaining({ id: second.person.storeId }),
        expect.objectContaining({ name: "Nursery", needsSecondFactor: true }),
        expect.objectContaining({ name: "Trial", isTest: true }),
      ]),
      left: [{ id }, []],
      madeBy: [id],
    });
    const copy = await restored();
    expect(await shown(copy)).toEqual(before);
    const form = { token: secret, password: PASSWORD };
    const joined = await openAuth(copy, { signup: "closed" }).signUps.join(new CookieJar().client, undefined, form);
    expect(await copy.records.members.storesOf(joined.person)).toMatchObject([{ account, role: "viewer" }]);
    await copy.records.close();
  });

  test("shows the same histories, with who did what, and the same removed plants", async () => {
    const [storage, restored] = await storeToRestore();
    const account = await newAccount(storage);
    await addHistories(storage, account);
    const before = await historiesOf(storage, account);
    expect(before).toMatchObject({ doers: DOERS, removed: [3n] });
    const copy = await restored();
    expect(await historiesOf(copy, account)).toEqual(before);
    await copy.records.close();
  });

  test("does not replace a file, nor the remains of one that another database would take for its own", async () => {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) {
      const into = join(folder, `there${suffix}.db`);
      writeFileSync(into + suffix, "something else");
      await expect(restoreBackup({ destination, backup, identities: [] }, into)).rejects.toThrow(
        `${into}${suffix} exists already`,
      );
      expect(readFileSync(into + suffix, "utf8")).toBe("something else");
    }
  });

  test("does not replace a file that was made while it was restored", async () => {
    class MeanwhileMade extends FolderDestination {
      override async read(file: string) {
        if (file.includes(".zst")) writeFileSync(target, "something else");
        return super.read(file);
      }
    }
    const slow = new MeanwhileMade(join(folder, "backups"));
    await expect(restoreBackup({ destination: slow, backup, identities: [] }, target)).rejects.toThrow(
      `${target} cannot be made`,
    );
    expect(readFileSync(target, "utf8")).toBe("something else");
    expect(inTargetFolder()).toEqual(["plantstore.db"]);
  });
});

describe("a damaged backup", () => {
  test.each([
    ["a bit of its file is another", (bytes: Buffer) => bytes.fill((bytes[200] ?? 0) ^ 1, 200, 201)],
    ["its file lost its end", (bytes: Buffer) => bytes.subarray(0, bytes.length - 10)],
    ["something stands behind its file", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("more")])],
    ["its file is empty", () => Buffer.alloc(0)],
  ])("is not restored where %s, and leaves no file", async (_, damage) => {
    writeFileSync(content(), damage(readFileSync(content())));
    await expect(restore()).rejects.toThrow(backup.name);
    expect(inTargetFolder()).toEqual([]);
  });

  test("whose file is a pipe, a folder or a device holds nobody up, and whose manifest is one is none", async () => {
    rmSync(content());
    Bun.spawnSync(["mkfifo", content()]);
    await expect(restore()).rejects.toThrow(`${content()} is not a regular file`);
    rmSync(content());
    symlinkSync("/dev/zero", content());
    await expect(restore()).rejects.toThrow(`${content()} is not a regular file`);
    const manifest = join(folder, "backups", `${backup.name}.json`);
    const kept = join(folder, "kept.json");
    renameSync(manifest, kept);
    Bun.spawnSync(["mkfifo", manifest]);
    expect((await readCatalogue(destination)).backups).toEqual([]);
    await expect(findBackup(destination, backup.name, undefined)).rejects.toThrow("There is no backup");
    rmSync(manifest);
    symlinkSync(kept, manifest);
    expect((await readCatalogue(destination)).backups).toHaveLength(1);
  });

  test("whose file is missing is not restored", async () => {
    await destination.remove(`${backup.name}.db.zst`);
    await expect(restore()).rejects.toThrow(DamagedBackup);
    expect(inTargetFolder()).toEqual([]);
  });

  test("is not what a backup is called whose place does not give it, at once or midway", async () => {
    const { read } = destination;
    const cut = new Error("the network is gone");
    for (const given of [0, 1]) {
      destination.read = async (file) => {
        const chunks = given === 0 ? [] : await Array.fromAsync(await read.call(destination, file));
        return (async function* () {
          for (const chunk of chunks) yield chunk.subarray(0, 100);
          throw cut;
        })();
      };
      await expect(restore()).rejects.toBe(cut);
    }
    expect(inTargetFolder()).toEqual([]);
  });

  test("that unpacks to more than its manifest names is neither verified nor restored, and leaves no file", async () => {
    writeFileSync(content(), Bun.zstdCompressSync(Buffer.alloc(256 * 1024 ** 2)));
    const problem = `${backup.name} cannot be read: it unpacks to more than the ${backup.manifest.bytes} bytes that its manifest names`;
    const temporary = temporaryFolder();
    await expect(verifyBackup({ destination, backup, identities: [] }, temporary)).rejects.toThrow(problem);
    await expect(restore()).rejects.toThrow(problem);
    expect([readdirSync(temporary), inTargetFolder()]).toEqual([[], []]);
  });

  test("whose file holds another name of a plant is not restored, though all but the sums fits", async () => {
    const plain = Bun.zstdDecompressSync(readFileSync(content()));
    const other = Bun.zstdCompressSync(Buffer.from(plain.toString("latin1").replace("Fern 1", "Firn 1"), "latin1"));
    writeFileSync(content(), other);
    const { sha256 } = backup.manifest;
    backup = await keepManifest(destination, backup.name, { ...backup.manifest, sha256, compressed: other.length });
    await expect(restore()).rejects.toThrow("its file is not the one that was written");
    expect(inTargetFolder()).toEqual([]);
  });

  test("whose manifest counts other plants than the file holds is not restored, though each for itself is whole", async () => {
    const { sha256, plants } = backup.manifest;
    backup = await keepManifest(destination, backup.name, { ...backup.manifest, sha256, plants: plants + 1 });
    await expect(restore()).rejects.toThrow("its database does not hold what its manifest says");
    expect(inTargetFolder()).toEqual([]);
  });
});

describe("a backup that somebody has made up", () => {
  /** Replaces the backup's file, and says in the manifest what it is. */
  async function replaceBy(plain: Uint8Array): Promise<void> {
    const stored = Bun.zstdCompressSync(plain);
    writeFileSync(content(), stored);
    const sum = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    const sha256 = { plain: sum(plain), stored: sum(stored) };
    const { manifest } = backup;
    const made = { ...manifest, bytes: plain.length, compressed: stored.length, sha256 };
    backup = await keepManifest(destination, backup.name, made);
  }

  const ENDLESS = "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT n FROM more";

  test.each([
    ["a view plants", `DROP TABLE plants; CREATE VIEW plants AS ${ENDLESS}`],
    ["a view migrations", `DROP TABLE migrations; CREATE VIEW migrations AS SELECT 'a' AS name FROM (${ENDLESS})`],
    [
      "a table counters",
      "DROP TABLE counters; CREATE TABLE counters (name text, value AS (length(hex(zeroblob(1e8)))))",
    ],
    [
      "a trigger more",
      `CREATE TRIGGER more AFTER INSERT ON audit_entries BEGIN SELECT count(*) FROM (${ENDLESS}); END`,
    ],
    ["a table more", "CREATE VIRTUAL TABLE more USING fts5 (text)"],
  ])("is neither verified nor restored where it has %s, and nothing of it runs", async (named, make) => {
    const path = join(folder, "made-up.db");
    cpSync(database, path);
    const file = new Database(path);
    file.run(make);
    file.close();
    await replaceBy(readFileSync(path));
    const problem = `${backup.name} is damaged. The database file`;
    const temporary = temporaryFolder();
    await expect(verifyBackup({ destination, backup, identities: [] }, temporary)).rejects.toThrow(problem);
    await expect(restore()).rejects.toThrow(`it has ${named} that its migrations do not make`);
    expect([readdirSync(temporary), inTargetFolder()]).toEqual([[], []]);
  });

  test("of a release that this one does not serve is neither verified nor restored", async () => {
    const path = join(folder, "newer.db");
    cpSync(database, path);
    const schema = "9999-people-breaking";
    const file = new Database(path);
    file.run("INSERT INTO migrations (name, timestamp) VALUES (?, '')", [schema]);
    file.close();
    backup = { ...backup, manifest: { ...backup.manifest, schema } };
    await replaceBy(readFileSync(path));
    await expect(restore()).rejects.toThrow(/cannot be opened as a server would open it.*9999-people-breaking/);
    expect(inTargetFolder()).toEqual([]);
  });

  test("of the last schema, with an operator's own index and statistics, and with further search tables, is what a release makes", async () => {
    const old = (await lastSchemaDatabase("sqlite", folder)).slice("sqlite:".length);
    await checkSchema(old);
    const file = new Database(old);
    for (const sql of ["CREATE INDEX own ON plants (lower(name)) WHERE tag IS NOT NULL", "ANALYZE"]) file.run(sql);
    await checkSchema(old);
    file.run("CREATE TRIGGER more AFTER INSERT ON plants BEGIN SELECT 1; END");
    file.close();
    await expect(checkSchema(old)).rejects.toThrow("it has a trigger more that its migrations do not make");
    const path = join(folder, "ranges.db");
    cpSync(database, path);
    const ranges = new Database(path);
    for (const sql of searchTable(rangeTable(17), 16)) ranges.run(sql);
    ranges.close();
    discardRange(path, 17);
    await checkSchema(path);
  });

  test("is given up where a step does not end", async () => {
    const never = Promise.withResolvers<never>();
    class Endless extends FolderDestination {
      override async read(file: string) {
        return file.includes(".zst")
          ? { [Symbol.asyncIterator]: () => ({ next: () => never.promise }) }
          : super.read(file);
      }
    }
    const endless = { destination: new Endless(join(folder, "backups")), backup, identities: [], stepMsMax: 50 };
    const problem = `${backup.name} was given up: reading it has not ended within 1 s`;
    await expect(verifyBackup(endless, temporaryFolder())).rejects.toThrow(problem);
    await expect(restoreBackup(endless, target)).rejects.toThrow(problem);
    expect(inTargetFolder()).toEqual([]);
    never.reject(new Error("the test is over"));
  });
});

describe("an encrypted backup", () => {
  beforeEach(() => open(encryptedFolder));

  test("is restored with its identity, also among others", async () => {
    await restore([await generateX25519Identity(), identity]);
    expect(inTargetFolder()).toEqual(["plantstore.db"]);
  });

  test("is refused without an identity by the name of the option, and with another one as unreadable", async () => {
    await expect(restore()).rejects.toThrow("--identity must name the file");
    await expect(restore([await generateX25519Identity()])).rejects.toThrow("encrypted for another age identity");
    expect(inTargetFolder()).toEqual([]);
  });
});

test("a verification leaves nothing in its temporary folder, whether it succeeds or fails", async () => {
  const temporary = temporaryFolder();
  await verifyBackup({ destination, backup, identities: [] }, temporary);
  writeFileSync(content(), "x");
  await expect(verifyBackup({ destination, backup, identities: [] }, temporary)).rejects.toThrow(backup.name);
  expect(readdirSync(temporary)).toEqual([]);
});
