import { afterEach, expect, test } from "bun:test";
import { chownSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { hasEnded } from "./support/process.ts";
import { COMMAND, runCommand, startService, type TestService, temporaryFolder } from "./support/service.ts";
import { everyPlant, SingleCreates } from "./support/single-creates.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";
import { startUpload } from "./support/upload.ts";

const RESTARTS = 3;
const AT_ONCE = 3;
const LINUX = process.platform === "linux";
const running = new Set<number>();
afterEach(() => {
  for (const pid of running) kill(pid, "SIGKILL");
  running.clear();
});

function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function restart(service: TestService): Promise<{ pid: number; port: number; replaced: number }> {
  const restarted = JSON.parse(await runCommand(service.environment, service.folder, ["restart", "--json"]));
  running.add(restarted.pid);
  return restarted;
}

test("restarts under 32 connections of load lose no create, leave none unanswered, and serve the metrics on", async () => {
  if (!LINUX) return console.warn("Not tested here: servers share a port on Linux only");
  const METRICS = `127.0.0.1:${freePort()}`;
  const startedAt = async () =>
    /^process_start_time_seconds (.+)$/m.exec(await (await fetch(`http://${METRICS}/metrics`)).text())?.[1];
  const service = await startService({ engine: "sqlite", settings: { TAKE_OVER: "1", METRICS } });
  const token = await service.token();
  const firstStartedAt = await startedAt();
  const load = new SingleCreates(service.url, token, 32);
  await load.acknowledges(200);
  let last = service.process.pid;
  for (let round = 0; round < RESTARTS; round++) {
    const before = load.acknowledged.size;
    const { pid, port, replaced } = await restart(service);
    expect(replaced).toBe(last);
    expect(port).toBe(Number(new URL(service.url).port));
    expect(hasEnded(replaced)).toBe(true);
    await load.acknowledges(before + 100);
    last = pid;
  }
  await load.end();
  expect(Number(await startedAt())).toBeGreaterThan(Number(firstStartedAt));
  expect([...load.unanswered]).toEqual([]);
  expect([...load.refused]).toEqual([]);
  const found = await everyPlant(service.url, token);
  expect([...load.acknowledged].filter((id) => !found.has(id))).toEqual([]);
  const log = service.output() + readFileSync(join(service.folder, "plantstore.db.log"), "utf8");
  expect(log.split('"msg":"handing over"')).toHaveLength(RESTARTS + 1);
  expect(log).not.toContain('"level":"error"');
  expect(await service.process.exited).toBe(0);
  const file = join(service.folder, "plantstore.db.pid");
  expect(existsSync(file)).toBe(true);
  kill(last, "SIGTERM");
  await eventually("the last server has ended", () => hasEnded(last));
  expect(existsSync(file)).toBe(false);
});

test("a second service on one file says at its start that another serves it, and one that takes over does not", async () => {
  if (!LINUX) return console.warn("Not tested here: the open files of processes are listed on Linux only");
  const others = (log: string) => log.split("\n").filter((line) => line.includes("Another service (process"));
  const service = await startService({ engine: "sqlite", settings: { TAKE_OVER: "1" } });
  const { pid } = await restart(service);
  const second = await startService({ engine: "sqlite", folder: service.folder });
  await eventually("it says so", () => others(second.output()).length === 1);
  expect(JSON.parse(others(second.output())[0] ?? "")).toMatchObject({ level: "warn", processes: [pid] });
  expect(await second.stop()).toBe(0);
  await restart(service);
  const log = service.output() + readFileSync(join(service.folder, "plantstore.db.log"), "utf8");
  expect([log.split('"msg":"listening"').length - 1, others(log)]).toEqual([3, []]);
});

testUnless(
  process.getuid?.() === 0
    ? missingProgram("setpriv")
    : "only root can give a service more capabilities than another has",
  "a second service sees one that has more capabilities, as the unit's has",
  async () => {
    const folder = temporaryFolder();
    const program = join(folder, "without-capabilities");
    writeFileSync(program, `#!/bin/sh\nexec setpriv --bounding-set -all --inh-caps -all ${COMMAND} "$@"\n`, {
      mode: 0o755,
    });
    const service = await startService({ engine: "sqlite", folder });
    const second = await startService({ engine: "sqlite", folder, program });
    await eventually("it says so", () => second.output().includes(`Another service (process ${service.process.pid})`));
  },
);

test("of restarts at once each takes over from the one before: one server remains, which the next ones reach", async () => {
  if (!LINUX) return console.warn("Not tested here: servers share a port on Linux only");
  const service = await startService({ engine: "sqlite", settings: { TAKE_OVER: "1" } });
  let last = service.process.pid;
  for (let round = 0; round < 2; round++) {
    const restarted = await Promise.all(Array.from({ length: AT_ONCE }, () => restart(service)));
    const left = new Set([last, ...restarted.map(({ pid }) => pid)]);
    for (const { replaced } of restarted) expect(left.delete(replaced)).toBe(true);
    expect([...running, service.process.pid].filter((pid) => !hasEnded(pid))).toEqual([...left]);
    [last = 0] = left;
  }
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

test("an import that is under way is finished by the server that it came to", async () => {
  if (!LINUX) return console.warn("Not tested here: servers share a port on Linux only");
  const service = await startService({ engine: "sqlite", settings: { TAKE_OVER: "1" } });
  const token = await service.token();
  const upload = startUpload(service, token);
  await eventually("the first rows are stored", async () => {
    upload.send(1);
    return (await everyPlant(service.url, token)).size > 0;
  });
  const restarting = restart(service);
  await eventually("the server hands over", () => service.output().includes("handing over"));
  const log = () => readFileSync(join(service.folder, "plantstore.db.log"), "utf8");
  await eventually("the new server listens", () => log().includes('"msg":"listening"'));
  const sent = upload.send(1);
  upload.end();
  expect(await (await upload.answer).json()).toMatchObject({ created: sent, failed: 0 });
  await restarting;
});

test("a restart names the settings that differ, secrets by name alone, and takes them only if it is told to", async () => {
  if (!LINUX) return console.warn("Not tested here: servers share a port on Linux only");
  const METRICS = `127.0.0.1:${freePort()}`;
  const given = { TAKE_OVER: "1", METRICS, METRICS_TOKEN: "first-secret-0123456789" };
  const service = await startService({ engine: "sqlite", settings: given });
  const { METRICS: _, ...others } = service.environment;
  const elsewhere = { ...others, RATE_LIMIT: "7", METRICS_TOKEN: "second-secret-0123456789" };
  const settings = join(service.folder, "plantstore.db.pid.settings");
  await eventually("the service has named its settings", () => existsSync(settings));
  expect(readFileSync(settings, "utf8")).not.toContain("first-secret");
  const refused = await runCommand(elsewhere, service.folder, ["restart"]).catch((error) => String(error));
  expect(refused).toContain(`METRICS (${METRICS} there, not set here)`);
  expect(refused).toMatch(
    /RATE_LIMIT \(not set there, 7 here\), .*METRICS_TOKEN|METRICS_TOKEN.*RATE_LIMIT \(not set there, 7 here\)/,
  );
  expect(refused).toContain("exited with 2");
  expect(refused).not.toContain("secret-0123456789");
  expect(hasEnded(service.process.pid)).toBe(false);
  const taken = JSON.parse(await runCommand(elsewhere, service.folder, ["restart", "--new-settings", "--json"]));
  running.add(taken.pid);
  expect(taken.replaced).toBe(service.process.pid);
  const again = JSON.parse(await runCommand(elsewhere, service.folder, ["restart", "--json"]));
  running.add(again.pid);
  expect(again.replaced).toBe(taken.pid);
});

test("a server of another database does not share the port, and a restart without a server says how to begin", async () => {
  if (!LINUX) return console.warn("Not tested here: servers share a port on Linux only");
  const service = await startService({ engine: "sqlite", settings: { TAKE_OVER: "1" } });
  const { port } = new URL(service.url);
  const elsewhere = {
    ...service.environment,
    PORT: port,
    DATABASE_URL: `sqlite:${join(temporaryFolder(), "other.db")}`,
  };
  await expect(runCommand(elsewhere, service.folder, ["serve", "--take-over"])).rejects.toThrow(
    /PORT \d+ .* is in use/,
  );
  await expect(runCommand(elsewhere, service.folder, ["restart"])).rejects.toThrow("serve --take-over");
  expect(await service.stop()).toBe(0);
});

const NOT_ROOT = process.getuid?.() === 0 ? undefined : "only root can give a file to another user";

testUnless(
  NOT_ROOT ?? (LINUX ? undefined : "servers share a port on Linux only"),
  "a pid file of a user who names a process of somebody else has no restart, and that process goes on",
  async () => {
    const service = await startService({ engine: "sqlite", settings: { TAKE_OVER: "1" } });
    const pidFile = join(service.folder, "plantstore.db.pid");
    await eventually("the service has named itself", () => existsSync(pidFile));
    chownSync(pidFile, 65534, 65534);
    const sentence = /names a process \(\d+\) of another user than its own/;
    await expect(runCommand(service.environment, service.folder, ["restart"])).rejects.toThrow(sentence);
    const elsewhere = { ...service.environment, PORT: "0" };
    await expect(runCommand(elsewhere, service.folder, ["serve", "--take-over"])).rejects.toThrow(sentence);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  },
);

test("health exits with 0 while the server is ready, and with 1 when it is not", async () => {
  // No other socket is given this port once the service has stopped.
  const service = await startService({ engine: "sqlite", settings: { PORT: String(freePort()) } });
  const health = () => runCommand(service.environment, service.folder, ["health", "--json"]);
  expect(JSON.parse(await health())).toEqual({ ready: true, url: `${service.url}/readyz` });
  await service.stop();
  await expect(health()).rejects.toThrow(/exited with 1/);
});
