import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { addBulk, runBackupCommand, startBackupCommand } from "./support/backups.ts";
import { outcomeOf } from "./support/process.ts";
import { runInProcess } from "./support/run-in-process.ts";
import { COMMAND, startService, temporaryFolder } from "./support/service.ts";
import { everyPlant, SingleCreates } from "./support/single-creates.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";

const folder = temporaryFolder();
const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
const identityFile = join(folder, "identity.txt");
writeFileSync(identityFile, `# created by a test\n${identity}\n`);

const service = await startService({ engine: "sqlite" });
afterAll(() => service.stop());
const token = await service.token();
const bulk = await addBulk(service, token, 1);

const backup = (...args: string[]) => runBackupCommand(service, args);

async function create(to: string, settings?: Record<string, string>): Promise<string> {
  const { exitCode, output, problem } = await runBackupCommand(service, ["create", "--to", to], settings);
  expect({ exitCode, problem }).toEqual({ exitCode: 0, problem: "" });
  return output;
}

test("a backup beside creates holds each that was answered before it began, and none that was not sent", async () => {
  const to = join(folder, "beside");
  const load = new SingleCreates(service.url, token, 32);
  await load.acknowledges(500);
  const before = new Set(load.acknowledged);
  // In a process of its own, so that this one can go on with its creates.
  const { code, out } = await outcomeOf(startBackupCommand(service, ["create", "--to", to]));
  expect(code).toBe(0);
  const name = out.trim();
  await load.end();
  expect([...load.unanswered]).toEqual([]);
  // The backup's own entry in the audit log may hold the lock for long.
  expect([...load.refused.keys()].filter((status) => status !== 503)).toEqual([]);
  const restored = join(folder, "beside.db");
  await backup("restore", name, "--from", to, "--into", `sqlite:${restored}`);
  const copy = await startService({ settings: { DATABASE_URL: `sqlite:${restored}` } });
  const held = await everyPlant(copy.url, token);
  expect([...before].filter((id) => !held.has(id))).toEqual([]);
  const sent = new Set([...load.acknowledged, ...bulk]);
  expect([...held.keys()].filter((id) => !sent.has(id))).toEqual([]);
  await copy.stop();
});

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
  const [{ id: store }] = JSON.parse(await service.command("account", "list", "--json"));
  for (const [from, action] of [
    [service, "backup.made"],
    [copy, "backup.restored"],
  ] as const) {
    const listed = await from.command("audit", "list", "--account", store, "--action", action, "--json");
    expect(JSON.parse(listed)[0]).toMatchObject({ action, target: name, actor: { kind: "operator" } });
  }
  const [[id, plantName] = [0, ""]] = held;
  const again = await copy.send("POST", "/v1/plants", { as: token, body: { id, name: plantName } });
  expect(again.status).toBe(200);
  expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  expect(await copy.stop()).toBe(0);

  expect(await backup("remove", name, "--from", to)).toMatchObject({ exitCode: 0 });
  expect(readdirSync(to)).toEqual([]);
});

const missing = missingProgram("age") ?? missingProgram("zstd");
testUnless(missing, "age and zstd alone restore a backup, byte for byte", async () => {
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
});

test.each([
  [["create"], {}, "BACKUP_TO"],
  [["list"], { BACKUP_TO: folder, DATABASE_URL: "postgres://plantstore@database.example/plantstore" }, "pg_dump"],
])("wrong usage exits with 2 and says what would be right: %j %j", async (args, settings, message) => {
  const result = await runInProcess(["backup", ...args], { ...service.environment, ...settings });
  expect(result).toMatchObject({ code: 2, out: "", problem: expect.stringContaining(message) });
});

test("a list looks at each file, latest passes over what is damaged, and one store comes back out of a backup", async () => {
  const service = await startService({ engine: "sqlite" });
  const token = await service.token();
  const plants = [{ id: "9007199254740993", name: "Exact" }];
  const body = plants.map(({ id, name }) => `{"id":${id},"name":"${name}","tag":"kept"}`).join("\n");
  const headers = { "Content-Type": "application/x-ndjson" };
  await service.send("POST", "/v1/plants/import", { as: token, headers, body });
  const to = join(service.folder, "kept");
  const run = (...args: string[]) => runBackupCommand(service, args, { BACKUP_TO: to });
  const names: string[] = [];
  for (let count = 0; count < 4; count++) {
    const { output } = await run("create");
    names.push(output);
  }
  const [whole = "", cut = "", missing = "", unfinished = ""] = names;
  const file = (name: string) => join(to, `${name}.db.zst`);
  const { size } = statSync(file(cut));
  truncateSync(file(cut), 5000);
  rmSync(file(missing));
  rmSync(join(to, `${unfinished}.json`));
  const listed = (await run("list")).output.split("\n");
  expect(listed[0]).toMatch(/^NAME +STATE +AT +BYTES +PLANTS/);
  expect(listed.slice(1).map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
    [whole, "whole"],
    [cut, `damaged: 5,000 of ${size.toLocaleString("en")} bytes`],
    [missing, "no file"],
    [unfinished, "no manifest"],
  ]);
  expect((await run("verify", "latest")).output).toStartWith(`${whole}  verified`);
  for (const name of [cut, missing])
    expect((await run("verify", name)).problem).toContain(`${name} is damaged or cut; the one before it is ${whole}`);
  expect((await run("verify", unfinished)).problem).toContain(`${unfinished} has no manifest`);
  truncateSync(file(whole), 5000);
  expect((await run("verify", whole)).problem).toContain("there is no whole one before it");
  const { output: again } = await run("create");
  const ndjson = join(service.folder, "store.ndjson");
  const [account = ""] = (await service.command("account", "list", "--json")).match(/(?<="id": ")[^"]+/) ?? [];
  const extracted = await run("extract", again, "--account", account, "--to", ndjson);
  expect(extracted.output).toStartWith(`${ndjson} holds 1 plant as of `);
  expect(readFileSync(ndjson, "utf8")).toStartWith('{"id":9007199254740993,"name":"Exact","tag":"kept",');
  expect((await run("extract", again, "--account", account, "--to", ndjson)).problem).toContain("exists already");
  await service.send("DELETE", "/v1/plants/9007199254740993", { as: token });
  const back = await service.send("POST", "/v1/plants/import", {
    as: token,
    headers,
    body: readFileSync(ndjson, "utf8"),
  });
  expect([back.status, (await service.send("GET", "/v1/plants/9007199254740993", { as: token })).status]).toEqual([
    200, 200,
  ]);
  expect(readdirSync(dirname(ndjson)).filter((name) => name.startsWith(".plantstore"))).toEqual([]);
  await service.stop();
});

test("a restored database is for this user alone, whatever the umask", async () => {
  const to = join(folder, "strict");
  await create(to);
  const path = join(folder, "strictly/restored/plantstore.db");
  const restore = [COMMAND, "backup", "restore", "latest", "--from", to, "--into", `sqlite:${path}`];
  const child = Bun.spawn(["sh", "-c", 'umask 0777; exec "$@"', "sh", ...restore], { env: service.environment });
  expect(await child.exited).toBe(0);
  expect([path, dirname(path)].map((name) => statSync(name).mode & 0o777)).toEqual([0o600, 0o700]);
});
