import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { runBackupCommand } from "./support/backups.ts";
import { eventually } from "./support/eventually.ts";
import { runInProcess } from "./support/run-in-process.ts";
import { startService, temporaryFolder } from "./support/service.ts";

test("a server makes and verifies backups on its schedule, and of two servers on one file one does", async () => {
  const folder = temporaryFolder();
  const to = join(folder, "backups");
  const settings = { BACKUP_TO: to, BACKUP_EVERY: "1s", BACKUP_VERIFY: "each", BACKUP_KEEP: "1s:3s" };
  const services = await Promise.all([1, 2].map(() => startService({ engine: "sqlite", folder, settings })));
  const [first] = services;
  if (!first) throw new Error("no service was started");
  await first.token();
  const lines = (text: string) =>
    services.flatMap((service) => service.output().split("\n")).filter((line) => line.includes(text));
  for (const count of [1, 2, 3]) {
    await eventually(`${count} backups were made and verified`, () => lines("verified a backup").length >= count);
  }
  const rows = JSON.parse((await runBackupCommand(first, ["list", "--json"])).output);
  const times = rows.map(({ at }: { at: string }) => Date.parse(at));
  for (const [index, time] of times.entries())
    if (index > 0) expect(time - times[index - 1]).toBeGreaterThanOrEqual(950);
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

test("a schedule that could make no backup, or not read one, stops the start with one line that says why", async () => {
  const folder = temporaryFolder();
  const DATABASE_URL = `sqlite:${join(folder, "plantstore.db")}`;
  const recipient = await identityToRecipient(await generateX25519Identity());
  const mistyped = recipient.replace(/.$/, (last) => (last === "q" ? "p" : "q"));
  const cases: readonly [Record<string, string>, RegExp][] = [
    [{ BACKUP_TO: "s3://bucket" }, /^.*BACKUP_RECIPIENTS.*\n$/],
    [{ DATABASE_URL: "postgres://plantstore@database.example/plantstore" }, /^.*pg_dump.*\n$/],
    [{ BACKUP_RECIPIENTS: `${recipient},${mistyped}` }, /^.*BACKUP_RECIPIENTS.*key 2 is none\n$/],
    [{ BACKUP_IDENTITY: join(folder, "none.txt") }, /^.*BACKUP_IDENTITY.*no identity file.*\n$/],
  ];
  for (const [settings, reason] of cases) {
    const problem = expect.stringMatching(reason);
    const ended = await runInProcess(["serve"], { BACKUP_TO: folder, DATABASE_URL, ...settings });
    expect(ended).toMatchObject({ code: 2, problem });
  }
});
