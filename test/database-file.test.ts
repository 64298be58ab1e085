import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, renameSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { runBackupCommand, startBackupCommand } from "./support/backups.ts";
import { outcomeOf } from "./support/process.ts";
import { COMMAND, startService, type TestService } from "./support/service.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";

const { uid } = userInfo();
/** Runs a program that the modes of files hold for: root's ends without this right over all files. */
const OBEYING = uid === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"] : [];

async function run(path: string, args: readonly string[], by: readonly string[] = []) {
  const env = { PATH: process.env.PATH ?? "", PORT: "0", LOG_FORMAT: "text", DATABASE_URL: `sqlite:${path}` };
  const options = { cwd: dirname(path), env, stdout: "pipe", stderr: "pipe" } as const;
  const child = Bun.spawn([...by, COMMAND, ...args], options);
  const late = setTimeout(() => child.kill(), 20_000);
  return outcomeOf(child).finally(() => clearTimeout(late));
}

const pathOf = ({ folder }: TestService) => join(folder, "plantstore.db");

async function create(service: TestService, token: string, id: number): Promise<void> {
  const { status } = await service.send("POST", "/plants", { as: token, body: { id, name: `Fern ${id}` } });
  expect(status).toBe(200);
}

const COMMANDS = [["serve"], ["account", "list"]];

/** A start and commands are refused in one line with these words, and leave the file and its log as they are. */
async function expectRefused(path: string, words: string, by?: readonly string[], commands = COMMANDS): Promise<void> {
  const files = [path, `${path}-wal`].map((file) => Bun.file(file));
  const before = await Promise.all(files.map(async (file) => (await file.exists()) && Bun.hash(await file.bytes())));
  for (const args of commands) {
    const { code, problem } = await run(path, args, by);
    expect([code, problem]).toEqual([1, expect.stringMatching(/^plantstore: DATABASE_URL [^\n]+\n$/)]);
    expect(problem).toContain(words);
  }
  const after = await Promise.all(files.map(async (file) => (await file.exists()) && Bun.hash(await file.bytes())));
  expect(after).toEqual(before);
}

describe("a database file beside the log of another", () => {
  test("as a backup that was copied over it, is not served, and the file that belongs to the log is", async () => {
    const service = await startService({ engine: "sqlite" });
    const token = await service.token();
    const path = pathOf(service);
    await create(service, token, 1);
    const to = join(service.folder, "backups");
    expect(await runBackupCommand(service, ["create", "--to", to])).toMatchObject({ exitCode: 0 });
    await create(service, token, 2);
    const backup = join(service.folder, "restored.db");
    const restored = await runBackupCommand(service, ["restore", "latest", "--from", to, "--into", `sqlite:${backup}`]);
    expect(restored).toMatchObject({ exitCode: 0 });
    await service.kill();
    copyFileSync(path, `${path}.own`);
    copyFileSync(backup, path);
    await expectRefused(path, `${path}-wal is the log of another copy of ${path}`);
    const backupToo = await outcomeOf(startBackupCommand(service, ["create", "--to", to]));
    expect([backupToo.code, backupToo.problem]).toEqual([1, expect.stringContaining("the log of another copy")]);
    renameSync(`${path}.own`, path);
    const after = await service.restart();
    expect((await after.send("GET", "/plants/2", { as: token })).status).toBe(200);
    await after.kill();
    rmSync(path);
    // A command says that there is no database.
    await expectRefused(path, `there is no ${path}, but its log`, [], [["serve"]]);
    copyFileSync(backup, path);
    for (const end of ["-wal", "-shm"]) rmSync(path + end);
    const old = await service.restart();
    expect((await old.send("GET", "/plants/1", { as: token })).status).toBe(200);
    expect((await old.send("GET", "/plants/2", { as: token })).status).toBe(404);
    expect(await old.stop()).toBe(0);
  });
});

testUnless(
  missingProgram(OBEYING[0] ?? "true"),
  "a file or a folder that cannot be written is not served, and the line says whose it is",
  async () => {
    const service = await startService({ engine: "sqlite" });
    const path = pathOf(service);
    expect(await service.stop()).toBe(0);
    chmodSync(path, 0o400);
    await expectRefused(
      path,
      `${path} (mode 0400, of user ${uid}) cannot be written by user ${uid}: chmod u+w`,
      OBEYING,
    );
    chmodSync(path, 0o600);
    chmodSync(service.folder, 0o500);
    await expectRefused(path, `${service.folder} (mode 0500, of user ${uid}) cannot be written`, OBEYING);
    chmodSync(service.folder, 0o700);
  },
);

test("a file that another program holds is not served, and the line says so", async () => {
  const service = await startService({ engine: "sqlite" });
  const path = pathOf(service);
  expect(await service.stop()).toBe(0);
  const hold = `
    const { Database } = require("bun:sqlite");
    const database = new Database(${JSON.stringify(path)});
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    database.run("UPDATE counters SET value = value");
    console.log("holds");
    setTimeout(() => {}, 60000);`;
  const child = Bun.spawn([process.execPath, "-e", hold], { stdout: "pipe", stderr: "inherit" });
  await child.stdout.getReader().read();
  await expectRefused(path, "another program holds the file");
  child.kill("SIGKILL");
  await child.exited;
  const after = await service.restart();
  expect(await after.stop()).toBe(0);
});
