import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { FolderDestination } from "#backup/folder-destination.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { filledDatabase } from "#test/support/filled-database.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { readSettings } from "../settings.ts";
import { openBackups } from "./backups.ts";

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);

const original = await filledDatabase(temporaryFolder(), 2);

let folder: string;
let database: string;
let kept: string;
beforeEach(() => {
  folder = temporaryFolder();
  database = join(folder, "plantstore.db");
  kept = join(folder, "backups");
  cpSync(original, database);
});

interface Options {
  readonly to?: string;
  readonly plain?: boolean;
  readonly from?: string;
  readonly identity?: string;
}

/** The work of the commands, with these settings. */
function commands(more: Record<string, string> = {}) {
  const settings = { DATABASE_URL: `sqlite:${database}`, BACKUP_TO: kept, LOG_LEVEL: "error", ...more };
  const { service, source, target, identities } = openBackups(readSettings(settings));
  const chosen = async (name: string, from?: string) => ({
    destination: await source(from),
    name,
    database: undefined,
  });
  return {
    create: async ({ to, plain }: Options = {}) => service.create(target(to, plain), TEST_SOURCE, () => {}),
    list: async (from?: string) => service.list(await chosen("", from)),
    verify: async (name: string, { from, identity }: Options = {}) =>
      service.verify(await chosen(name, from), await identities(identity)),
    restore: async (name: string, into: string, { from, identity }: Options = {}) =>
      service.restore(
        await chosen(name, from),
        await identities(identity),
        { into, drill: false, newId: false },
        TEST_SOURCE,
      ),
    remove: async (name: string, { from }: Options = {}) => service.remove(await chosen(name, from)),
  };
}

/** The actions and targets in the audit log of a database, one for each account. */
function entries(path: string): unknown[][] {
  const opened = new Database(path, { readonly: true });
  const rows = opened.query("SELECT account, action, target FROM audit_entries ORDER BY account").values();
  opened.close();
  return rows;
}

describe("a backup", () => {
  test("is entered in the audit log of each account, and its restore in that of the restored database alone", async () => {
    const { name } = await commands().create();
    expect(entries(database)).toEqual([
      [1, "backup.made", name],
      [2, "backup.made", name],
    ]);
    const into = join(folder, "restored.db");
    await commands().restore("latest", into);
    expect(entries(into)).toEqual([
      [1, "backup.restored", name],
      [2, "backup.restored", name],
    ]);
    expect(entries(database)).toHaveLength(2);
  });

  test("is entered and stays, and the error says both, where older ones cannot be removed", async () => {
    mkdirSync(kept);
    const old = "plantstore-20200101T000000Z-1.db.zst";
    writeFileSync(join(kept, old), "x");
    const { remove } = FolderDestination.prototype;
    using _removal = spyOn(FolderDestination.prototype, "remove").mockImplementation(function (
      this: FolderDestination,
      file,
    ) {
      return file === old ? Promise.reject(new Error("EROFS")) : remove.call(this, file);
    });
    const made = commands().create();
    await expect(made).rejects.toThrow(/^plantstore-\S+ was made, but older backups could not be removed: EROFS/);
    expect(entries(database)).toHaveLength(2);
    expect((await commands().list()).backups).toHaveLength(1);
  });

  test("made elsewhere than usual leaves the usual ones and those that are there", async () => {
    const elsewhere = join(folder, "elsewhere");
    const old = "plantstore-20200101T000000Z-1.db.zst";
    for (const place of [kept, elsewhere]) {
      mkdirSync(place);
      writeFileSync(join(place, old), "x");
    }
    await commands().create({ to: elsewhere });
    expect([readdirSync(kept), readdirSync(elsewhere).includes(old)]).toEqual([[old], true]);
    await commands().create({ to: `${kept}/` });
    expect(readdirSync(kept)).not.toContain(old);
  });

  test("on another's machine must be encrypted, unless it is asked for in plain", async () => {
    const s3 = {
      BACKUP_TO: "s3://garden",
      S3_ENDPOINT: "http://127.0.0.1:1",
      S3_ACCESS_KEY_ID: "a",
      S3_SECRET_ACCESS_KEY: "b",
    };
    await expect(commands(s3).create()).rejects.toThrow("BACKUP_RECIPIENTS must name age public keys");
    await expect(commands(s3).create({ plain: true })).rejects.toThrow(/^Cannot \w+ .*s3:\/\/garden/);
  });

  test("is listed beside those whose manifest is damaged, and removed with its file", async () => {
    const { name } = await commands().create();
    writeFileSync(join(kept, "plantstore-20200101T000000Z-1.json"), "{}");
    const listed = await commands().list();
    expect([listed.backups.map((backup) => backup.name), listed.unusable]).toEqual([
      [name],
      [{ name: "plantstore-20200101T000000Z-1", state: "damaged manifest" }],
    ]);
    await commands().remove(`${name}.json`);
    expect(readdirSync(kept)).toEqual(["plantstore-20200101T000000Z-1.json"]);
  });
});

test("a folder that does not exist is an error for whoever reads backups, and an empty one has none", async () => {
  const into = join(folder, "restored.db");
  const from = join(folder, "no such folder");
  const problem = `There is no folder ${from} with backups`;
  await expect(commands().list(from)).rejects.toThrow(problem);
  await expect(commands().verify("latest", { from })).rejects.toThrow(problem);
  await expect(commands().restore("latest", into, { from })).rejects.toThrow(problem);
  await expect(commands().remove("latest", { from })).rejects.toThrow(problem);
  await expect(commands().list(database)).rejects.toThrow(`There is no folder ${database} with backups`);
  mkdirSync(kept);
  expect(await commands().list()).toEqual({ backups: [], unusable: [] });
  await expect(commands().verify("latest")).rejects.toThrow(`There is no backup in ${kept}`);
});

describe("an encrypted backup", () => {
  const identityFile = (text: string) => {
    const path = join(folder, "key.txt");
    writeFileSync(path, text);
    return path;
  };

  test("is verified with a file as age-keygen writes it, and says when", async () => {
    const made = await commands({ BACKUP_RECIPIENTS: recipient }).create();
    expect([made.encrypted, made.verified_at]).toEqual([true, null]);
    const path = identityFile(`# created: 2026-03-10\n# public key: ${recipient}\n${identity}\r\n`);
    const verified = await commands({ BACKUP_IDENTITY: path }).verify("latest");
    expect(Date.parse(verified.verified_at ?? "")).toBeGreaterThan(0);
    expect((await commands().list()).backups[0]?.verified_at).toBe(verified.verified_at);
  });

  test("is refused by the name of the file that holds no identity, or is not there", async () => {
    await commands({ BACKUP_RECIPIENTS: recipient }).create();
    const empty = identityFile("# nothing here\n");
    await expect(commands().verify("latest", { identity: empty })).rejects.toThrow(`${empty} holds no age identity`);
    // A private key that is cut or was typed wrongly, of which nothing may be repeated.
    const whole = identityFile(`# a comment\n${identity}\n${identity.slice(0, -1)}\n`);
    const malformed = await commands()
      .verify("latest", { identity: whole })
      .catch((error) => error.message);
    expect(malformed).toBe(`--identity: line 3 of ${whole} is not an age identity (AGE-SECRET-KEY-…), or not whole`);
    rmSync(empty);
    await expect(commands().verify("latest", { identity: empty })).rejects.toThrow(
      `--identity: there is no identity file ${empty}`,
    );
    const into = join(folder, "restored.db");
    await expect(commands().restore("latest", into)).rejects.toThrow("--identity");
    expect(existsSync(into)).toBe(false);
  });
});

describe("settings", () => {
  test("of PostgreSQL are refused with what does it there", () => {
    expect(() => commands({ DATABASE_URL: "postgres://127.0.0.1/plants" })).toThrow("pg_dump");
  });

  test("without a place are refused by the name of the option, and so is a place that is none", async () => {
    const without = commands({ BACKUP_TO: "" });
    await expect(without.list()).rejects.toThrow("--from or BACKUP_TO must name a folder");
    await expect(without.create()).rejects.toThrow("--to or BACKUP_TO must name a folder");
    await expect(commands().list("s3://")).rejects.toThrow("BACKUP_TO");
  });
});
