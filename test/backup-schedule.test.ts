import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { move } from "#storage/move/move.ts";
import { runBackupCommand } from "./support/backups.ts";
import { newPostgresDatabase } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { runInProcess } from "./support/run-in-process.ts";
import { COMMAND, startService, temporaryFolder } from "./support/service.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";

test("a server makes backups on its schedule and verifies the first, and of two servers on one file one does", async () => {
  const folder = temporaryFolder();
  const to = join(folder, "backups");
  const settings = { BACKUP_TO: to, BACKUP_EVERY: "1s", BACKUP_KEEP: "1s:3s" };
  const services = await Promise.all([1, 2].map(() => startService({ engine: "sqlite", folder, settings })));
  const [first] = services;
  if (!first) throw new Error("no service was started");
  await first.token();
  const lines = (text: string) =>
    services.flatMap((service) => service.output().split("\n")).filter((line) => line.includes(text));
  for (const count of [1, 2, 3]) {
    await eventually(`${count} backups were made`, () => lines("made a backup").length >= count);
  }
  expect(lines("verified a backup")).toHaveLength(1);
  expect(lines("BACKUP_TO is on the disk of the database")).toHaveLength(2);
  const rows = JSON.parse((await runBackupCommand(first, ["list", "--json"])).output);
  const times = rows.map(({ at }: { at: string }) => Date.parse(at));
  for (const [index, time] of times.entries())
    if (index > 0) expect(time - times[index - 1]).toBeGreaterThanOrEqual(950);
  const shown = JSON.parse((await runInProcess(["status", "--json"], first.environment)).out);
  expect(shown.backups).toMatchObject({ newest: expect.any(String), last_failed_at: null });
  await eventually("old backups are removed", () => lines("made a backup").length > readdirSync(to).length / 2);
  const entered = lines('"backup.made"').map((line) => JSON.parse(line));
  expect(entered[0]).toMatchObject({ msg: "audit", actor: "system", actor_name: "backup schedule" });
  for (const service of services) expect(await service.stop()).toBe(0);
  expect(lines("failed")).toEqual([]);
});

test("an encrypted backup is not verified without the identity, which is said once", async () => {
  const recipient = await identityToRecipient(await generateX25519Identity());
  const settings = { BACKUP_TO: join(temporaryFolder(), "backups"), BACKUP_EVERY: "1s", BACKUP_RECIPIENTS: recipient };
  const service = await startService({ engine: "sqlite", settings });
  await eventually("a backup was made", () => service.output().includes("made a backup"));
  await eventually("the missing identity is named", () => service.output().includes("BACKUP_IDENTITY"));
  expect(service.output()).not.toContain("verified a backup");
  expect(await service.stop()).toBe(0);
});

test("a schedule that could make no backup stops the start with one line that says why", async () => {
  const folder = temporaryFolder();
  const DATABASE_URL = `sqlite:${join(folder, "plantstore.db")}`;
  const recipient = await identityToRecipient(await generateX25519Identity());
  const mistyped = recipient.replace(/.$/, (last) => (last === "q" ? "p" : "q"));
  const cases: readonly [Record<string, string>, RegExp][] = [
    [{ BACKUP_TO: "s3://bucket" }, /^.*BACKUP_RECIPIENTS.*\n$/],
    [{ DATABASE_URL: "postgres://plantstore@database.example/plantstore" }, /^.*pg_dump.*\n$/],
    [{ BACKUP_RECIPIENTS: `${recipient},${mistyped}` }, /^.*BACKUP_RECIPIENTS.*key 2 is none\n$/],
  ];
  for (const [settings, reason] of cases) {
    const problem = expect.stringMatching(reason);
    const ended = await runInProcess(["serve"], { BACKUP_TO: folder, DATABASE_URL, ...settings });
    expect(ended).toMatchObject({ code: 2, problem });
  }
});

test("a place that cannot be written and an identity that cannot be read are named when the service listens, and it serves", async () => {
  const folder = temporaryFolder();
  const [place, identity] = [join(folder, "file/backups"), join(folder, "none.txt")];
  writeFileSync(join(folder, "file"), "");
  const settings = { BACKUP_TO: place, BACKUP_IDENTITY: identity, METRICS: `127.0.0.1:${freePort()}` };
  const service = await startService({ engine: "sqlite", settings });
  const errors = () => service.log().filter(({ level }) => level === "error");
  await eventually("both are reported", () => errors().length === 2);
  expect(errors().map(({ msg }) => msg)).toEqual([
    expect.stringContaining(`No backup can be made: BACKUP_TO ${place}`),
    `BACKUP_IDENTITY: there is no identity file ${identity}`,
  ]);
  const { backups } = JSON.parse((await runInProcess(["status", "--json"], service.environment)).out);
  expect(backups).toMatchObject({ count: null, last_failed_at: expect.any(String), error: expect.any(String) });
  const metrics = await (await fetch(`http://${settings.METRICS}/metrics`)).text();
  expect(metrics).toMatch(/^plantstore_failures_total\{part="backup"\} [2-9]/m);
  expect((await service.send("GET", "/readyz")).status).toBe(200);
  const byHand = await runBackupCommand(service, ["create"], { BACKUP_TO: place });
  const later = JSON.parse((await runInProcess(["status", "--json"], service.environment)).out).backups;
  expect(byHand.problem).toContain(later.error);
  await service.stop();
});

testUnless(
  process.getuid?.() === 0 ? missingProgram("unshare") : "only root can mount a disk that cannot be written",
  "a place on a disk that cannot be written is named with the cure, as under a unit without its path",
  async () => {
    const folder = temporaryFolder();
    const place = join(folder, "backups");
    mkdirSync(place);
    const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
    const env = { PATH: process.env.PATH ?? "", PORT: "0", BACKUP_TO: place, LOG_FORMAT: "json" };
    const service = Bun.spawn(["unshare", "--mount", "sh", "-c", script, place, COMMAND, "serve"], {
      cwd: folder,
      env,
      stdout: "pipe",
    });
    let output = "";
    for await (const chunk of service.stdout) {
      output += new TextDecoder().decode(chunk);
      if (output.includes('"level":"error"')) break;
    }
    service.kill();
    expect(output).toContain(
      `BACKUP_TO ${place} is on a disk that cannot be written (under systemd: add it to ReadWritePaths`,
    );
    await service.exited;
  },
);

test("the copy of a drill is served without webhooks, mail and backups until the drill is ended, and with --new-id its backups are its own", async () => {
  const folder = temporaryFolder();
  const place = join(folder, "backups");
  const service = await startService({ engine: "sqlite" });
  await service.token();
  const original = JSON.parse((await runBackupCommand(service, ["create", "--to", place, "--json"])).output);
  await service.stop();
  const restored = (name: string) => `sqlite:${join(folder, name)}`;
  const restore = ["restore", "latest", "--from", place];
  await runBackupCommand(service, [...restore, "--into", restored("drill.db"), "--drill"]);
  await runBackupCommand(service, [...restore, "--into", restored("other.db"), "--new-id"]);
  const settings = { DATABASE_URL: restored("drill.db"), BACKUP_TO: place, BACKUP_EVERY: "1s", BACKUP_KEEP: "1s:2s" };
  const before = readdirSync(place);
  const drill = await startService({ engine: "sqlite", settings });
  expect(drill.log()[0]).toMatchObject({ level: "warn", msg: expect.stringContaining("the copy of a drill") });
  const refused = await runBackupCommand(drill, ["create"], settings);
  expect([refused.exitCode, refused.problem]).toEqual([1, expect.stringContaining("is the copy of a drill")]);
  const endpoints = await drill.send("GET", "/v1/webhook-endpoints", { as: await drill.token() });
  expect(endpoints.status).toBe(404);
  expect((await runInProcess(["status"], settings)).out).toMatch(
    new RegExp(`^drill .*a copy restored at 20.* from ${original.name}: .*drill end`, "m"),
  );
  const plain = { ...settings, DATABASE_URL: restored("plain.db") };
  await runBackupCommand(service, [...restore, "--into", plain.DATABASE_URL]);
  expect((await runInProcess(["status"], plain)).out).toMatch(`a copy restored at 20`);
  expect(JSON.parse((await runInProcess(["status", "--json"], plain)).out)).toMatchObject({
    drill_since: null,
    restored: { backup: original.name },
  });
  await Bun.sleep(2500);
  expect(readdirSync(place)).toEqual(before);
  await drill.stop();
  const moved = await newPostgresDatabase();
  await move({ from: restored("drill.db"), to: moved, replace: false, onProgress: () => {} });
  const copy = await startService({ engine: "postgres", settings: { DATABASE_URL: moved } });
  expect(copy.log()[0]).toMatchObject({ level: "warn", msg: expect.stringContaining("the copy of a drill") });
  expect((await copy.send("GET", "/v1/webhook-endpoints", { as: await copy.token() })).status).toBe(404);
  await copy.stop();
  expect(await runInProcess(["drill", "end"], settings)).toMatchObject({ code: 0 });
  expect(await runInProcess(["drill", "end"], settings)).toMatchObject({ code: 2 });
  const ended = await startService({ engine: "sqlite", settings: { ...settings, DATABASE_URL: restored("other.db") } });
  await eventually("the other database makes its own", () => ended.output().includes("made a backup"));
  await ended.stop();
  expect(readdirSync(place)).toEqual(expect.arrayContaining(before));
  const rows = JSON.parse((await runBackupCommand(service, ["list", "--from", place, "--json"])).output);
  expect(rows.map(({ name }: { name: string }) => name)).toEqual([original.name]);
});
