import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, promises, readdirSync, rmSync, statfsSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { openStorage } from "#storage/open.ts";
import { runBackupCommand, startBackupCommand } from "./support/backups.ts";
import { eventually } from "./support/eventually.ts";
import { filledDatabase } from "./support/filled-database.ts";
import { S3Store } from "./support/s3-store.ts";
import { temporaryFolder } from "./support/service.ts";
import { describeUnless } from "./support/skipped.ts";
import { mountSmallDisk } from "./support/small-disk.ts";

const folder = temporaryFolder();
/** Its backup is uploaded in parts of 16 MiB, and takes long enough to be interrupted on the way. */
const large = await databaseOf(18 * 1024 ** 2);
const small = await databaseOf(0);
const s3 = await S3Store.start();
afterAll(() => s3.close());

/** A database with so many more bytes, that nothing compresses and no index has. */
async function databaseOf(bytes: number) {
  const folder = temporaryFolder();
  const path = await filledDatabase(folder);
  const database = new Database(path);
  database.run("CREATE TABLE bulk AS SELECT randomblob(?) AS bytes", [bytes]);
  database.close();
  const { PATH = "", HOME = "" } = process.env;
  return { folder, environment: { PATH, HOME, DATABASE_URL: `sqlite:${path}` } };
}

function copiesBesideDatabase(): string[] {
  return readdirSync(large.folder).filter((name) => name.includes("backup"));
}

/** The names of the process's threads whose priority is not the lowest (proc(5), /proc/pid/stat). */
async function threadsAboveLowest(pid: number): Promise<string[]> {
  const threads = `/proc/${pid}/task`;
  const stats = readdirSync(threads).map((thread) => promises.readFile(`${threads}/${thread}/stat`, "utf8"));
  // A thread may have ended meanwhile.
  const read = (await Promise.allSettled(stats)).flatMap((stat) => (stat.status === "fulfilled" ? stat.value : []));
  const found = read.map((stat) => /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? []);
  return found.flatMap(([, name = "", rest = ""]) => (Number(rest.split(" ")[16]) < 19 ? name : []));
}

/** Starts a backup and signals it as soon as its file is begun, which may be too late. Resolves with its exit code. */
async function signalInCopy(signal: "SIGKILL" | "SIGTERM", to: string): Promise<number> {
  mkdirSync(to, { recursive: true });
  const child = startBackupCommand(large, ["create", "--to", to]);
  const watcher = watch(to, (_, name) => name?.endsWith(".unfinished") && name.includes(".zst") && child.kill(signal));
  return child.exited.finally(() => watcher.close());
}

describe("kill -9", () => {
  test("during the copy leaves no backup, and the next backup removes what it left", async () => {
    const to = join(folder, "killed");
    let code = 0;
    while (code === 0) {
      rmSync(to, { recursive: true, force: true });
      code = await signalInCopy("SIGKILL", to);
    }
    expect(readdirSync(to).filter((name) => name.endsWith(".json"))).toEqual([]);
    const { output: name } = await runBackupCommand(large, ["create", "--to", to]);
    expect(readdirSync(to).sort()).toEqual([`${name}.db.zst`, `${name}.json`]);
    expect(copiesBesideDatabase()).toEqual([]);
  });

  test("is not needed: SIGTERM during the copy leaves none either", async () => {
    const to = join(folder, "stopped");
    let code = 0;
    while (code === 0) code = await signalInCopy("SIGTERM", to);
    expect(code).toBe(143);
    expect(readdirSync(to).filter((name) => name.endsWith(".json") || name.endsWith(".unfinished"))).toEqual([]);
  });

  test("in each phase of an upload, at the lowest priority but for the thread that writes in the database, leaves no backup and no copy, and the next removes its file", async () => {
    const phases: ((request: S3Store["requests"][number]) => boolean)[] = [
      ({ method, query }) => method === "PUT" && query.get("partNumber") === "2",
      ({ method, query }) => method === "POST" && query.has("uploadId"),
      ({ method, key }) => method === "PUT" && key.endsWith(".json"),
    ];
    const create = ["create", "--to", "s3://bucket", "--plain"];
    for (const isPhase of phases) {
      const left = [...s3.objects.keys()];
      let reached = false;
      s3.treat = (request) => {
        if (!isPhase(request)) return "serve";
        reached = true;
        return "hold";
      };
      const child = startBackupCommand(large, create, s3.settings);
      await eventually("the phase is reached", () => reached);
      // The thread that writes begins a helper of the garbage collection.
      if (process.platform === "linux")
        expect((await threadsAboveLowest(child.pid)).filter((name) => name !== "HeapHelper")).toHaveLength(1);
      child.kill("SIGKILL");
      await child.exited;
      s3.treat = () => "serve";
      expect(left.filter((key) => s3.objects.has(key))).toEqual([]);
      const listed = await runBackupCommand(large, ["list", "--from", "s3://bucket", "--json"], s3.settings);
      expect(JSON.parse(listed.output)).toEqual([]);
      expect(copiesBesideDatabase()).toEqual([]);
    }
    const { output: name } = await runBackupCommand(large, create, s3.settings);
    expect([...s3.objects.keys()].sort()).toEqual([`${name}.db.zst`, `${name}.json`]);
  });
});

describe("a verify or restore that is ended", () => {
  const place = ["--from", "s3://bucket"];
  const temporary = join(folder, "temporary");
  beforeAll(async () => {
    mkdirSync(temporary, { recursive: true });
    s3.objects.clear();
    await runBackupCommand(small, ["create", "--plain", "--to", "s3://bucket"], s3.settings);
  });
  const settings = () => ({ ...s3.settings, TMPDIR: temporary });
  const verify = ["verify", "latest"];
  const restore = ["restore", "latest", "--into", `sqlite:${join(temporary, "restored.db")}`];

  async function endWith(signal: "SIGINT" | "SIGTERM" | "SIGKILL", command: readonly string[]): Promise<number> {
    s3.treat = ({ key, method }) => (method === "GET" && key.endsWith(".zst") ? "stall" : "serve");
    const before = readdirSync(temporary);
    const child = startBackupCommand(small, [...command, ...place], settings());
    await eventually("its plain copy is there", () => readdirSync(temporary).some((name) => !before.includes(name)));
    child.kill(signal);
    s3.treat = () => "serve";
    return child.exited;
  }

  test.each([
    ["SIGINT", 130, verify],
    ["SIGTERM", 143, restore],
  ] as const)("by %s leaves no plain copy", async (signal, code, command) => {
    expect(await endWith(signal, command)).toBe(code);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("by kill -9 leaves none beyond the next run", async () => {
    for (const command of [verify, restore]) {
      await endWith("SIGKILL", command);
      expect(readdirSync(temporary)).toHaveLength(1);
    }
    expect(await runBackupCommand(small, [...verify, ...place], settings())).toMatchObject({ exitCode: 0 });
    expect(readdirSync(temporary)).toEqual([]);
  });
});

test("an S3 store may cut a connection: the part is sent again, and the backup verified, restored and removed", async () => {
  s3.objects.clear();
  let cuts = 0;
  s3.treat = ({ query }) => (query.has("partNumber") && ++cuts <= 2 ? "cut" : "serve");
  const identity = await generateX25519Identity();
  const BACKUP_IDENTITY = join(folder, "identity.txt");
  writeFileSync(BACKUP_IDENTITY, identity);
  const place = "s3://bucket/nursery/daily";
  const BACKUP_RECIPIENTS = await identityToRecipient(identity);
  const run = (...args: string[]) =>
    runBackupCommand(large, args, { ...s3.settings, BACKUP_TO: place, BACKUP_RECIPIENTS, BACKUP_IDENTITY });
  expect(await run("create")).toMatchObject({ exitCode: 0 });
  expect(cuts).toBeGreaterThan(2);
  expect(await run("verify", "latest")).toMatchObject({ exitCode: 0 });
  const path = join(folder, "from-s3.db");
  expect(await run("restore", "latest", "--into", `sqlite:${path}`)).toMatchObject({ exitCode: 0 });
  expect(existsSync(path)).toBe(true);
  expect(await run("remove", "latest")).toMatchObject({ exitCode: 0 });
  expect([...s3.objects.keys()]).toEqual([]);
});

const disk = temporaryFolder();
describeUnless(mountSmallDisk(disk, "8m"), "a disk that is too small", () => {
  test("for the backup leaves nothing of it", async () => {
    const to = join(disk, "backups");
    const failed = await runBackupCommand(large, ["create", "--to", to]);
    expect(failed).toMatchObject({
      exitCode: 1,
      problem: expect.stringContaining(`${to} has no space left on its disk`),
    });
    expect(existsSync(to)).toBe(false);
    const whole = join(folder, "whole");
    await runBackupCommand(large, ["create", "--to", whole]);
    const target = join(disk, "restored.db");
    const restore = ["restore", "latest", "--from", whole, "--into", `sqlite:${target}`];
    const unrestored = await runBackupCommand(large, restore);
    expect(unrestored).toMatchObject({
      exitCode: 1,
      problem: expect.stringMatching(new RegExp(`Cannot write ${disk}/.*: ENOSPC`)),
    });
    expect(readdirSync(disk)).toEqual([]);
  });

  test("for the copy is noticed before it begins", async () => {
    rmSync(join(disk, "backups"), { recursive: true, force: true });
    const DATABASE_URL = `sqlite:${join(disk, "plantstore.db")}`;
    await (await openStorage(DATABASE_URL)).records.close();
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "rest"), Buffer.alloc(bavail * bsize - 64 * 1024));
    const refused = await runBackupCommand(large, ["create", "--to", join(folder, "crowded")], { DATABASE_URL });
    expect(refused).toMatchObject({ exitCode: 1, problem: expect.stringMatching(/needs \d+ MiB of free space/) });
    expect(existsSync(join(folder, "crowded"))).toBe(false);
  });
});
