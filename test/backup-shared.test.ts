import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCatalogue } from "#backup/catalogue.ts";
import { writeManifest } from "#backup/manifest.ts";
import { openDestination } from "#backup/open-destination.ts";
import { verifyBackup } from "#backup/restore-backup.ts";
import { runBackupCommand, startBackupCommand } from "./support/backups.ts";
import { S3Store } from "./support/s3-store.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";

interface Row {
  readonly name: string;
  readonly database?: string;
}

const NONE: Row = { name: "" };
const AT_ONCE = 4;

const [fern, rose] = await Promise.all([startService({ engine: "sqlite" }), startService({ engine: "sqlite" })]);
await Promise.all([fern.token(), rose.token()]);
const s3 = await S3Store.start();
afterAll(async () => {
  s3.close();
  await Promise.all([fern.stop(), rose.stop()]);
});

async function listed(service: TestService, args: string[], settings?: Record<string, string>): Promise<Row[]> {
  return JSON.parse((await runBackupCommand(service, ["list", "--json", ...args], settings)).output);
}

describe("two services that keep their backups in one place", () => {
  const place = join(temporaryFolder(), "backups");
  const made: Record<"fern" | "rose", string> = { fern: "", rose: "" };
  const from = ["--from", place];
  const into = () => `sqlite:${join(temporaryFolder(), "restored.db")}`;
  beforeAll(async () => {
    made.rose = (await runBackupCommand(rose, ["create", "--to", place])).output;
    made.fern = (await runBackupCommand(fern, ["create", "--to", place])).output;
  });

  test("each list their own, and latest is their own", async () => {
    expect((await listed(rose, from)).map(({ name }) => name)).toEqual([made.rose]);
    expect((await listed(fern, from)).map(({ name }) => name)).toEqual([made.fern]);
    const restored = await runBackupCommand(rose, ["restore", "latest", ...from, "--into", into(), "--json"]);
    expect(JSON.parse(restored.output).name).toBe(made.rose);
  });

  test("neither restores, verifies or removes the other's without the id of its database", async () => {
    const [{ database = "" } = NONE] = await listed(fern, from);
    expect(database).toMatch(/^[0-9a-f-]{36}$/);
    for (const args of [
      ["restore", made.fern, "--into", into()],
      ["verify", made.fern],
      ["remove", made.fern],
    ]) {
      const refused = await runBackupCommand(rose, [...args, ...from]);
      expect(refused).toMatchObject({ exitCode: 1, problem: expect.stringContaining(`--database ${database}`) });
      if (args[0] === "remove") continue;
      expect(await runBackupCommand(rose, [...args, ...from, "--database", database])).toMatchObject({ exitCode: 0 });
    }
    expect(existsSync(join(place, `${made.fern}.json`))).toBe(true);
  });

  test("a machine without either database has to say whose is the latest", async () => {
    const nowhere = { DATABASE_URL: `sqlite:${join(temporaryFolder(), "none.db")}` };
    expect((await listed(rose, from, nowhere)).map(({ name }) => name)).toEqual([made.rose, made.fern]);
    const restore = ["restore", "latest", ...from, "--json"];
    const unclear = await runBackupCommand(rose, [...restore, "--into", into()], nowhere);
    expect(unclear).toMatchObject({ exitCode: 1, problem: expect.stringContaining("--database") });
    const [{ database = "" } = NONE] = await listed(rose, from);
    const clear = await runBackupCommand(rose, [...restore, "--into", into(), "--database", database], nowhere);
    expect(JSON.parse(clear.output).name).toBe(made.rose);
  });
});

test("a schedule removes its own old backups alone; one whose release named no database is restored by its name", async () => {
  const place = join(temporaryFolder(), "backups");
  const nameless = await oldBackup(fern, place, "2020-01-01", { database: undefined });
  expect((await listed(fern, ["--from", place])).map(({ name }) => name)).toEqual([nameless]);
  const unclear = await runBackupCommand(fern, ["verify", "latest", "--from", place]);
  expect(unclear).toMatchObject({ exitCode: 1, problem: expect.stringContaining(nameless) });
  expect(await runBackupCommand(fern, ["verify", nameless, "--from", place])).toMatchObject({ exitCode: 0 });
  const foreign = await oldBackup(rose, place, "2020-01-02");
  await oldBackup(fern, place, "2020-01-03");
  const { output: made } = await runBackupCommand(fern, ["create"], { BACKUP_TO: place, BACKUP_KEEP: "24h:7d" });
  const kept = readdirSync(place).filter((name) => name.endsWith(".json"));
  expect(kept.sort()).toEqual([nameless, foreign, made].map((name) => `${name}.json`));
});

/** Makes a backup that seems to be of that day, with other members in its manifest. Resolves with its name. */
async function oldBackup(service: TestService, place: string, day: string, more: object = {}): Promise<string> {
  const { output } = await runBackupCommand(service, ["create", "--to", place]);
  const name = `plantstore-${day.replaceAll("-", "")}T000000Z-0`;
  const manifest = JSON.parse(readFileSync(join(place, `${output}.json`), "utf8"));
  const old = { ...manifest, at: `${day}T00:00:00.000Z`, last_number: 0, ...more };
  writeFileSync(join(place, `${name}.json`), writeManifest(old));
  renameSync(join(place, `${output}.db.zst`), join(place, `${name}.db.zst`));
  rmSync(join(place, `${output}.json`));
  return name;
}

describe.each(["a folder", "S3"])("backups that are made at the same moment in %s", (kind) => {
  test("each are whole, with a name of their own, whoever makes them", async () => {
    const place = kind === "S3" ? "s3://bucket/shared" : join(temporaryFolder(), "shared");
    const settings = kind === "S3" ? s3.settings : {};
    const children = Array.from({ length: AT_ONCE }, (_, index) =>
      startBackupCommand(index % 3 ? rose : fern, ["create", "--plain", "--to", place], settings),
    );
    const results = await Promise.all(
      children.map(async ({ stdout, stderr }) => ({
        output: await new Response(stdout).text(),
        failure: await new Response(stderr).text(),
      })),
    );
    expect(results.map(({ failure }) => failure)).toEqual(Array(AT_ONCE).fill(""));
    expect(await Promise.all(children.map(({ exited }) => exited))).toEqual(Array(AT_ONCE).fill(0));
    const names = results.map(({ output }) => output.trim()).sort();
    expect(new Set(names).size).toBe(AT_ONCE);
    const rows = [
      ...(await listed(fern, ["--from", place], settings)),
      ...(await listed(rose, ["--from", place], settings)),
    ];
    expect(rows.map(({ name }) => name).sort()).toEqual(names);
    const { S3_ENDPOINT: endpoint, S3_REGION: region, S3_ACCESS_KEY_ID: accessKeyId } = s3.settings;
    const { S3_SECRET_ACCESS_KEY: secretAccessKey } = s3.settings;
    const destination = openDestination(place, { endpoint, region, accessKeyId, secretAccessKey });
    for (const backup of (await readCatalogue(destination)).backups) {
      await verifyBackup({ destination, backup, identities: [] }, temporaryFolder());
    }
    const files = kind === "S3" ? [...s3.objects.keys()].map((key) => key.slice("shared/".length)) : readdirSync(place);
    expect(files.sort()).toEqual(names.flatMap((name) => [`${name}.db.zst`, `${name}.json`]));
  });
});
