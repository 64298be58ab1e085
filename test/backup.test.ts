import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { findBackup } from "#backup/catalogue.ts";
import { FolderDestination } from "#backup/folder-destination.ts";
import { verifyBackup } from "#backup/restore-backup.ts";
import { addBulk, runBackupCommand } from "./support/backups.ts";
import { S3Store } from "./support/s3-store.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { everyPlant, SingleCreates } from "./support/single-creates.ts";

let service: TestService;
let token: string;
let bulk: readonly number[];
/** Its backup is uploaded in parts. */
let large: TestService;
const folder = temporaryFolder();
const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
const identityFile = join(folder, "identity.txt");
writeFileSync(identityFile, `# created by a test\n${identity}\n`);

beforeAll(async () => {
  service = await startService({ engine: "sqlite" });
  token = await service.token();
  bulk = await addBulk(service, token, 1);
  large = await startService({ engine: "sqlite" });
  await addBulk(large, await large.token(), 24);
});
afterAll(async () => {
  await Promise.all([service.stop(), large.stop()]);
});

const backup = (...args: string[]) => runBackupCommand(service, args);

async function create(to: string, settings?: Record<string, string>, of = service): Promise<string> {
  const { exitCode, output, problem } = await runBackupCommand(of, ["create", "--to", to], settings);
  expect({ exitCode, problem }).toEqual({ exitCode: 0, problem: "" });
  return output;
}

test("a backup beside creates holds each that was answered before it began, and none that was not sent", async () => {
  const to = join(folder, "beside");
  const load = new SingleCreates(service.url, token, 32);
  await load.acknowledges(500);
  const before = new Set(load.acknowledged);
  const name = await create(to);
  await load.end();
  expect([...load.unanswered]).toEqual([]);
  expect([...load.refused]).toEqual([]);
  const restored = join(folder, "beside.db");
  await backup("restore", name, "--from", to, "--into", `sqlite:${restored}`);
  const copy = await startService({ settings: { DATABASE_URL: `sqlite:${restored}` } });
  const held = await everyPlant(copy.url, token);
  expect([...before].filter((id) => !held.has(id))).toEqual([]);
  const sent = new Set([...load.acknowledged, ...bulk]);
  expect([...held.keys()].filter((id) => !sent.has(id))).toEqual([]);
  await copy.stop();
}, 120_000);

test("a backup is listed, verified, restored and served: a create of before is then answered as a repeat", async () => {
  const to = join(folder, "whole");
  const held = await everyPlant(service.url, token);
  const plants = held.size;
  const name = await create(to, { BACKUP_RECIPIENTS: recipient });
  expect(name).toMatch(/^plantstore-\d{8}T\d{6}Z-[0-9a-z]+$/);
  expect(readdirSync(to).sort()).toEqual([`${name}.db.zst.age`, `${name}.json`]);
  for (const file of readdirSync(to)) expect(statSync(join(to, file)).mode & 0o777).toBe(0o600);
  const [row] = JSON.parse((await backup("list", "--from", to, "--json")).output);
  expect(row).toMatchObject({ name, plants, encrypted: true, verified_at: null, recipients: [recipient] });
  expect(row.last_number).toBeGreaterThanOrEqual(plants);

  const unread = await backup("verify", "latest", "--from", to);
  expect(unread).toMatchObject({ exitCode: 1, problem: expect.stringContaining("--identity") });
  expect(await backup("verify", "latest", "--from", to, "--identity", identityFile)).toMatchObject({ exitCode: 0 });
  const [verified] = JSON.parse((await backup("list", "--from", to, "--json")).output);
  expect(Date.parse(verified.verified_at)).toBeWithin(Date.now() - 60_000, Date.now() + 1);

  const restored = join(folder, "restored/plantstore.db");
  const restore = ["restore", "latest", "--from", to, "--into", `sqlite:${restored}`, "--identity", identityFile];
  expect(await backup(...restore)).toMatchObject({ exitCode: 0, output: expect.stringContaining(`${plants} plants`) });
  expect(await backup(...restore)).toMatchObject({ exitCode: 1, problem: expect.stringContaining("exists already") });
  expect(readdirSync(join(folder, "restored"))).toEqual(["plantstore.db"]);
  const copy = await startService({ settings: { DATABASE_URL: `sqlite:${restored}` } });
  const [owner = { email: "" }] = JSON.parse(await service.command("account", "list", "--json"));
  for (const [from, action] of [
    [service, "backup.made"],
    [copy, "backup.restored"],
  ] as const) {
    const listed = await from.command("audit", "list", "--account", owner.email, "--action", action, "--json");
    expect(JSON.parse(listed)[0]).toMatchObject({ action, target: name, actor: { kind: "operator" } });
  }
  const [[id, plantName] = [0, ""]] = held;
  const again = await fetch(`${copy.url}/v1/plants`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ id, name: plantName }),
  });
  expect(again.status).toBe(200);
  expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  expect(await copy.stop()).toBe(0);

  expect(await backup("remove", name, "--from", to)).toMatchObject({ exitCode: 0 });
  expect(readdirSync(to)).toEqual([]);
}, 120_000);

test("age and zstd alone restore a backup, byte for byte", async () => {
  if (!Bun.which("age") || !Bun.which("zstd")) return console.warn("Not tested here: age and zstd are not installed");
  const to = join(folder, "tools");
  const name = await create(to, { BACKUP_RECIPIENTS: recipient });
  const script = 'set -o pipefail; age -d -i "$0" "$1" | zstd -d > "$2"';
  const copy = join(folder, "tools.db");
  const tools = Bun.spawnSync(["bash", "-c", script, identityFile, join(to, `${name}.db.zst.age`), copy]);
  expect(tools.exitCode).toBe(0);
  const { sha256, bytes } = JSON.parse(readFileSync(join(to, `${name}.json`), "utf8"));
  const restored = readFileSync(copy);
  expect(restored.length).toBe(bytes);
  expect(new Bun.CryptoHasher("sha256").update(restored).digest("hex")).toBe(sha256.plain);
}, 120_000);

describe("a small backup", () => {
  test.each([
    ["plain", []],
    ["encrypted", [recipient]],
  ])(
    "that is %s and has one bit changed, in either file, is found to be damaged",
    async (kind, recipients) => {
      const to = join(folder, `flipped-${kind}`);
      const settings = { BACKUP_RECIPIENTS: recipients.join(",") };
      const { output: name } = await runBackupCommand(service, ["create", "--to", to], settings);
      const destination = new FolderDestination(to);
      const identities = [identity];
      const verify = async () =>
        verifyBackup({ destination, backup: await findBackup(destination, name, undefined), identities }, folder);
      await verify();
      for (const file of readdirSync(to)) {
        const whole = readFileSync(join(to, file));
        for (const part of [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1]) {
          const flipped = Buffer.from(whole);
          const at = Math.round(part * (whole.length - 1));
          // The newline at the end of a manifest means nothing.
          if (file.endsWith(".json") && at === whole.length - 1) continue;
          flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
          writeFileSync(join(to, file), flipped);
          await expect(verify()).rejects.toThrow(/damaged|cannot be read|no backup/);
        }
        writeFileSync(join(to, file), whole);
      }
      await verify();
    },
    60_000,
  );

  test("that lost its end, or its manifest, is none that can be restored", async () => {
    const to = join(folder, "cut");
    const { output: name } = await runBackupCommand(service, ["create", "--to", to]);
    const file = join(to, `${name}.db.zst`);
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    expect(await runBackupCommand(service, ["verify", name, "--from", to])).toMatchObject({ exitCode: 1 });
    rmSync(join(to, `${name}.json`));
    const gone = await runBackupCommand(service, ["verify", name, "--from", to]);
    expect(gone).toMatchObject({ exitCode: 1, problem: expect.stringContaining("There is no backup") });
  });

  test("is never restored beside the log of another database", async () => {
    const to = join(folder, "log");
    await runBackupCommand(service, ["create", "--to", to]);
    const target = join(folder, "log.db");
    writeFileSync(`${target}-wal`, "");
    const refused = await runBackupCommand(service, ["restore", "latest", "--from", to, "--into", `sqlite:${target}`]);
    expect(refused).toMatchObject({ exitCode: 1, problem: expect.stringContaining("-wal exists already") });
    expect(existsSync(target)).toBe(false);
  });
});

describe("an S3 store", () => {
  let s3: S3Store;
  beforeAll(async () => {
    s3 = await S3Store.start();
  });
  afterAll(() => s3.close());
  const onS3 = (args: string[], more: Record<string, string> = {}) =>
    runBackupCommand(large, args, { ...s3.settings, ...more });
  const to = ["--to", "s3://bucket/nursery/daily"];
  const from = ["--from", "s3://bucket/nursery/daily"];

  test("is not given a backup that it could read, unless --plain says so", async () => {
    const refused = await onS3(["create", ...to]);
    expect(refused).toMatchObject({ exitCode: 2, problem: expect.stringContaining("BACKUP_RECIPIENTS") });
    expect(s3.requests).toEqual([]);
    const { exitCode, output: name } = await onS3(["create", "--plain", ...to]);
    expect(exitCode).toBe(0);
    expect([...s3.objects.keys()].sort()).toEqual([`nursery/daily/${name}.db.zst`, `nursery/daily/${name}.json`]);
  }, 120_000);

  test("may cut a connection: the part is sent again, and the backup verified, restored and removed", async () => {
    let cuts = 0;
    s3.treat = ({ query }) => (query.has("partNumber") && ++cuts <= 2 ? "cut" : "serve");
    const settings = { BACKUP_RECIPIENTS: recipient, BACKUP_IDENTITY: identityFile };
    expect(await onS3(["create", ...to], settings)).toMatchObject({ exitCode: 0 });
    expect(cuts).toBeGreaterThan(2);
    expect(await onS3(["verify", "latest", ...from], settings)).toMatchObject({ exitCode: 0 });
    const path = join(folder, "from-s3.db");
    expect(await onS3(["restore", "latest", ...from, "--into", `sqlite:${path}`], settings)).toMatchObject({
      exitCode: 0,
    });
    expect(existsSync(path)).toBe(true);
    expect(await onS3(["remove", "latest", ...from])).toMatchObject({ exitCode: 0 });
    expect([...s3.objects.keys()].filter((key) => key.endsWith(".age"))).toEqual([]);
  }, 120_000);

  test("that does not answer ends the command, which says so", async () => {
    s3.treat = () => "hold";
    const start = performance.now();
    expect(await onS3(["create", "--plain", ...to])).toMatchObject({
      exitCode: 1,
      problem: expect.stringMatching(/s3:\/\/bucket\/nursery\/daily: the store has not answered for 30 s$/),
    });
    expect(performance.now() - start).toBeLessThan(60_000);
  }, 120_000);

  test("that cuts every connection leaves no backup, and the message names it", async () => {
    s3.objects.clear();
    s3.treat = ({ query }) => (query.get("partNumber") === "2" ? "cut" : "serve");
    const failed = await onS3(["create", "--plain", ...to]);
    expect(failed).toMatchObject({ exitCode: 1, problem: expect.stringContaining("s3://bucket/nursery/daily") });
    expect([...s3.objects.keys()]).toEqual([]);
    s3.treat = () => "serve";
    const refused = await onS3(["list", ...from], { S3_SECRET_ACCESS_KEY: "wrong" });
    expect(refused).toMatchObject({ exitCode: 1, problem: expect.stringContaining("SignatureDoesNotMatch") });
  }, 120_000);
});

describe("a disk that is too small", () => {
  const disk = join(folder, "disk");
  const outOfRoomIn = (place: string) => new RegExp(`Cannot write ${place}/.*: ENOSPC`);
  let problem: string | undefined;
  beforeAll(() => {
    mkdirSync(disk);
    const mounted = Bun.which("mount")
      ? Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk])
      : undefined;
    if (!mounted?.success) problem = mounted?.stderr.toString().trim() ?? "there is no mount command";
  });
  afterAll(() => {
    if (problem === undefined) Bun.spawnSync(["umount", "-l", disk]);
  });

  test("for the backup leaves nothing of it", async () => {
    if (problem !== undefined) return console.warn(`Not tested here: a small disk cannot be made (${problem})`);
    const to = join(disk, "backups");
    const failed = await runBackupCommand(large, ["create", "--to", to]);
    expect(failed).toMatchObject({ exitCode: 1, problem: expect.stringMatching(outOfRoomIn(to)) });
    expect(readdirSync(to)).toEqual([]);
    const whole = join(folder, "large");
    await create(whole, {}, large);
    const target = join(disk, "restored.db");
    const restore = ["restore", "latest", "--from", whole, "--into", `sqlite:${target}`];
    const unrestored = await runBackupCommand(large, restore);
    expect(unrestored).toMatchObject({ exitCode: 1, problem: expect.stringMatching(outOfRoomIn(disk)) });
    expect(readdirSync(disk)).toEqual(["backups"]);
  }, 120_000);

  test("for the copy is noticed before it begins", async () => {
    if (problem !== undefined) return console.warn(`Not tested here: a small disk cannot be made (${problem})`);
    rmSync(join(disk, "backups"), { recursive: true, force: true });
    const crowded = await startService({ engine: "sqlite", folder: disk });
    await addBulk(crowded, await crowded.token(), 2);
    await crowded.stop();
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "rest"), Buffer.alloc(bavail * bsize - 1024 * 1024));
    const refused = await runBackupCommand(crowded, ["create", "--to", join(folder, "crowded")]);
    expect(refused).toMatchObject({ exitCode: 1, problem: expect.stringMatching(/needs \d+ MiB of free space/) });
    expect(existsSync(join(folder, "crowded"))).toBe(false);
  }, 120_000);
});

test("a list of a folder that does not exist exits with 1 and one sentence", async () => {
  const missing = join(folder, "no such folder");
  expect(await runBackupCommand(service, ["list", "--from", missing])).toMatchObject({
    exitCode: 1,
    output: "",
    problem: `plantstore: There is no folder ${missing} with backups`,
  });
});

test.each([
  [["create"], {}, "BACKUP_TO"],
  [["restore", "latest", "--into", "postgres://x", "--from", folder], {}, "sqlite:PATH"],
  [["list"], { BACKUP_TO: "s3://" }, "s3://BUCKET/PREFIX"],
  [["create"], { BACKUP_TO: folder, BACKUP_KEEP: "always" }, "BACKUP_KEEP"],
  [["create"], { BACKUP_TO: folder, BACKUP_RECIPIENTS: "age2x" }, "BACKUP_RECIPIENTS"],
  [["list"], { BACKUP_TO: folder, DATABASE_URL: "postgres://plantstore@database.example/plantstore" }, "pg_dump"],
])("wrong usage exits with 2 and says what would be right: %j %j", async (args, settings, message) => {
  const result = await runBackupCommand(service, args, settings);
  expect(result).toMatchObject({ exitCode: 2, output: "", problem: expect.stringContaining(message) });
});
