import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { addBulk, runBackupCommand, startBackupCommand } from "./support/backups.ts";
import { eventually } from "./support/eventually.ts";
import { S3Store } from "./support/s3-store.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";

/** Its backup is uploaded in parts, and takes long enough to be ended on the way. */
let large: TestService;
let s3: S3Store;
const folder = temporaryFolder();

beforeAll(async () => {
  large = await startService({ engine: "sqlite" });
  await addBulk(large, await large.token(), 24);
  s3 = await S3Store.start();
});
afterAll(async () => {
  s3.close();
  await large.stop();
});

function copiesBesideDatabase(): string[] {
  return readdirSync(large.folder).filter((name) => name.includes("backup"));
}

describe("kill -9", () => {
  test("during the copy leaves no backup, and the next backup removes what it left", async () => {
    const to = join(folder, "killed");
    const child = startBackupCommand(large, ["create", "--to", to]);
    await eventually("the copy is being made", () => copiesBesideDatabase().length > 0);
    child.kill("SIGKILL");
    await child.exited;
    expect(existsSync(to)).toBe(false);
    expect(await runBackupCommand(large, ["create", "--to", to])).toMatchObject({ exitCode: 0 });
    expect(copiesBesideDatabase()).toEqual([]);
  }, 120_000);

  test("is not needed: SIGTERM during the copy leaves none either", async () => {
    const child = startBackupCommand(large, ["create", "--to", join(folder, "stopped")]);
    await eventually("the copy is being made", () => copiesBesideDatabase().length > 0);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(143);
    expect(copiesBesideDatabase()).toEqual([]);
  }, 120_000);

  test.each([
    ["a part is on its way", ({ method, query }) => method === "PUT" && query.get("partNumber") === "2"],
    ["the upload is being finished", ({ method, query }) => method === "POST" && query.has("uploadId")],
    ["the manifest is on its way", ({ method, key }) => method === "PUT" && key.endsWith(".json")],
  ] satisfies [string, (request: S3Store["requests"][number]) => boolean][])(
    "while %s leaves no backup and no copy, and the next backup removes its file",
    async (_phase, isPhase) => {
      s3.objects.clear();
      let reached = false;
      s3.treat = (request) => {
        if (!isPhase(request)) return "serve";
        reached = true;
        return "hold";
      };
      const create = ["create", "--to", "s3://bucket", "--plain"];
      const child = startBackupCommand(large, create, s3.settings);
      await eventually("the phase is reached", () => reached);
      child.kill("SIGKILL");
      await child.exited;
      s3.treat = () => "serve";
      const listed = await runBackupCommand(large, ["list", "--from", "s3://bucket", "--json"], s3.settings);
      expect(JSON.parse(listed.output)).toEqual([]);
      expect(copiesBesideDatabase()).toEqual([]);
      const { output: name } = await runBackupCommand(large, create, s3.settings);
      expect([...s3.objects.keys()].sort()).toEqual([`${name}.db.zst`, `${name}.json`]);
    },
    120_000,
  );
});

describe.each(["verify", "restore"])("a %s that is ended", (act) => {
  const place = ["--from", "s3://bucket"];
  const temporary = join(folder, "temporary");
  beforeAll(async () => {
    mkdirSync(temporary, { recursive: true });
    s3.objects.clear();
    await runBackupCommand(large, ["create", "--plain", "--to", "s3://bucket"], s3.settings);
  });
  const settings = () => ({ ...s3.settings, TMPDIR: temporary });
  const args = () =>
    act === "verify"
      ? ["verify", "latest"]
      : ["restore", "latest", "--into", `sqlite:${join(temporary, "restored.db")}`];

  async function endWith(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): Promise<number> {
    s3.treat = ({ key, method }) => (method === "GET" && key.endsWith(".zst") ? "stall" : "serve");
    const child = startBackupCommand(large, [...args(), ...place], settings());
    await eventually("the plain copy is there", () => readdirSync(temporary).length > 0);
    child.kill(signal);
    s3.treat = () => "serve";
    return child.exited;
  }

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("by %s leaves no plain copy", async (signal, code) => {
    expect(await endWith(signal)).toBe(code);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("by kill -9 leaves none beyond the next run", async () => {
    await endWith("SIGKILL");
    expect(readdirSync(temporary)).toHaveLength(1);
    expect(await runBackupCommand(large, ["verify", "latest", ...place], settings())).toMatchObject({ exitCode: 0 });
    expect(readdirSync(temporary)).toEqual([]);
  });
});
