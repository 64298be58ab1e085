import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { openStorage } from "#storage/open.ts";
import { atEnd } from "./support/at-end.ts";
import { ENGINES, newMigratedDatabase, newPostgresDatabase } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { outcomeOf, PROCESSES_SHOW } from "./support/process.ts";
import { COMMAND, ROOT, SOURCES_COMMAND, startService, temporaryFolder } from "./support/service.ts";

/** Of signal 15 in the masks of /proc/PID/status. */
const SIGTERM_BIT = 1n << 14n;
/** A connection of PostgreSQL that is left open holds the process for 30 s. */
const REFUSED_MS_MAX = 20_000;

/** Starts the service with settings that it refuses, and returns how it ended. */
async function refusedStart(settings: Record<string, string>) {
  const folder = temporaryFolder();
  const env = { PATH: process.env.PATH ?? "", PORT: "0", LOG_FORMAT: "text", ...settings };
  const began = performance.now();
  const child = Bun.spawn([COMMAND, "serve"], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
  return { ...(await outcomeOf(child)), ms: performance.now() - began };
}

describe("a start that cannot be is refused in one line that names the setting", () => {
  test.each([
    ["PORT", "abc"],
    ["DATABASE_URL", "mysql://localhost/plants"],
  ])("%s=%s", async (name, value) => {
    const { code, out, problem } = await refusedStart({ [name]: value });
    expect([code, out]).toEqual([2, ""]);
    expect(problem).toMatch(new RegExp(`^plantstore: ${name} must be [^\\n]+\\n$`));
  });

  test.each(["999.1.1.1", "no such host", "203.0.113.9", "127.0.0.1,203.0.113.9"])(
    "HOST=%s, which cannot be listened on",
    async (host) => {
      const { code, problem } = await refusedStart({ HOST: host });
      expect(code).toBe(1);
      expect(problem).toMatch(/^plantstore: HOST .* cannot be listened on\n$/);
    },
  );

  test("as a line of the log in JSON, where LOG_FORMAT says so", async () => {
    const { code, out, problem } = await refusedStart({ LOG_FORMAT: "json", SIGNUP: "x" });
    expect([code, out]).toEqual([2, ""]);
    expect(JSON.parse(problem)).toEqual({
      level: "error",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      msg: expect.stringContaining("SIGNUP must be"),
      error: 2,
      message: expect.stringContaining("SIGNUP must be"),
    });
  });

  test("a PostgreSQL database of another encoding, which is not tried again", async () => {
    const url = await newPostgresDatabase("TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    const { code, problem } = await refusedStart({ DATABASE_URL: url });
    expect(code).toBe(2);
    expect(problem).toMatch(
      /^plantstore: The database of DATABASE_URL must have the encoding UTF8, and has LATIN1: .*\n$/,
    );
  });

  test.each(ENGINES)(
    "the schema of a newer version, which older ones cannot live with, on %s; one that serves ends",
    async (engine) => {
      const service = await startService({ engine });
      const token = await service.token();
      expect((await service.send("GET", "/plants/1", { as: token })).status).toBe(404);
      const { DATABASE_URL = "" } = service.environment;
      const { db, records } = await openStorage(DATABASE_URL);
      await sql`INSERT INTO migrations (name, timestamp) VALUES ('9999-next-breaking', '')`.execute(db);
      await records.close();
      const told =
        "The database has the schema of a newer Plantstore (9999-next-breaking), which this version cannot serve";
      await Bun.sleep(600);
      await service.send("GET", "/plants/1", { as: token }).catch(() => undefined);
      expect(await service.process.exited).toBe(2);
      expect(service.log().filter(({ msg }) => msg.startsWith(told))).toHaveLength(1);
      const { code, problem } = await refusedStart({ DATABASE_URL });
      expect([code, problem]).toEqual([2, expect.stringMatching(/^plantstore: The database has the schema .*\n$/)]);
    },
  );

  test("another program's database, which stays as it is", async () => {
    const path = join(temporaryFolder(), "other.db");
    new Database(path).run("CREATE TABLE invoices (number integer)");
    await expectStartProblem(`sqlite:${path}`, path);
    const tables = new Database(path, { readonly: true }).query("SELECT name FROM sqlite_schema").all();
    expect(tables).toEqual([{ name: "invoices" }]);
  });

  test("a folder in the file's place", async () => {
    const path = join(temporaryFolder(), "folder.db");
    mkdirSync(path);
    await expectStartProblem(`sqlite:${path}`, path);
  });

  test.each([
    ["%FF", "URI error"],
    ["plants?sslrootcert=/none/ca.crt", "/none/ca.crt"],
  ])("an address of PostgreSQL that cannot be read: %s", async (path, named) => {
    await expectStartProblem(`postgres://plants@127.0.0.1:1/${path}`, named);
  });

  test("a port in use, by a Plantstore", async () => {
    const { port } = new URL((await startService()).url);
    const { code, problem } = await refusedStart({ PORT: port });
    expect(code).toBe(1);
    expect(problem).toStartWith(
      `plantstore: PORT ${port} on HOST 127.0.0.1 is in use by another program, a Plantstore of the user `,
    );
  });

  test.each(ENGINES)("an address of METRICS that is in use, without waiting for the database on %s", async (engine) => {
    const { host } = new URL((await startService()).url);
    const DATABASE_URL = await newMigratedDatabase(engine, temporaryFolder());
    const { code, problem, ms } = await refusedStart({ METRICS: host, DATABASE_URL });
    expect([code, problem]).toEqual([1, `plantstore: METRICS ${host} is in use by another program\n`]);
    expect(ms).toBeLessThan(REFUSED_MS_MAX);
  });

  async function expectStartProblem(url: string, named: string): Promise<void> {
    const { code, problem } = await refusedStart({ DATABASE_URL: url });
    expect(code).toBe(1);
    expect(problem).toMatch(/^plantstore: DATABASE_URL [^\n]+\n$/);
    expect(problem).toContain(named);
  }
});

describe("a stop", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("by %s exits with 0 and is logged", async (signal) => {
    const service = await startService();
    service.process.kill(signal);
    expect(await service.process.exited).toBe(0);
    await eventually("the stop is logged", () => service.output().includes('"msg":"stopped"'));
  });

  test("may be SIGHUP, as of a terminal that is closed, but not under nohup; few descriptors are a warning", async () => {
    const service = await startService();
    service.process.kill("SIGHUP");
    expect(await service.process.exited).toBe(0);
    await eventually("it says so", () => service.log().some(({ msg }) => msg === "stopped"));
    expect(service.log()).toContainEqual(expect.objectContaining({ msg: "stopping", signal: "SIGHUP" }));
    const folder = temporaryFolder();
    const script = `ulimit -n 1000; trap "" HUP; exec "${COMMAND}" --env-file settings serve`;
    writeFileSync(join(folder, "settings"), `BACKUP_TO=${folder}/backups\n`);
    const env = { ...service.environment, DATABASE_URL: `sqlite:${folder}/plantstore.db` };
    const ignoring = Bun.spawn(["sh", "-c", script], { cwd: folder, env, stdout: "pipe", stderr: "inherit" });
    let printed = "";
    const reading = (async () => {
      for await (const chunk of ignoring.stdout) printed += new TextDecoder().decode(chunk);
    })();
    await eventually("it listens", () => printed.includes('"msg":"listening"'));
    expect(printed).toContain("Only 1000 file descriptors may be open");
    // A process of its own makes the backup, with the settings of the file.
    await eventually("a backup is made", () => printed.includes('"msg":"made a backup"'), 30_000);
    ignoring.kill("SIGHUP");
    await Bun.sleep(300);
    expect(ignoring.exitCode).toBe(null);
    ignoring.kill("SIGTERM");
    expect(await ignoring.exited).toBe(0);
    await reading;
  });

  test("counts while the program is still loading: nothing is opened", async () => {
    if (!PROCESSES_SHOW) return console.warn("Not tested here: the system does not show what a process catches");
    const preload = join(import.meta.dir, "fixtures/waits-while-loading.ts");
    const GOES_ON_WITH = join(temporaryFolder(), "told");
    // The released program loads nothing but itself.
    const { child, folder } = serving([SOURCES_COMMAND], { BUN_OPTIONS: `--preload ${preload}`, GOES_ON_WITH });
    await eventually("SIGTERM is caught", () => catchesSigterm(child.pid));
    child.kill("SIGTERM");
    writeFileSync(GOES_ON_WITH, "");
    expect(await child.exited).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of process 1 counts from the moment that it catches the signal", async () => {
    const isPossible = PROCESSES_SHOW && Bun.spawnSync(["unshare", "--pid", "--fork", "true"]).success;
    if (!isPossible) return console.warn("Not tested here: the system allows no namespaces, or shows no processes");
    const { child } = serving(["unshare", "--pid", "--fork", "--kill-child", COMMAND]);
    let pid: number | undefined;
    await eventually("SIGTERM is caught", () => {
      pid = childOf(child.pid);
      return pid !== undefined && catchesSigterm(pid);
    });
    process.kill(Number(pid), "SIGTERM");
    expect(await child.exited).toBe(0);
  });

  function serving(command: readonly string[], settings: Record<string, string> = {}) {
    const folder = temporaryFolder();
    const env = { PATH: process.env.PATH ?? "", PORT: "0", LOG_FORMAT: "json", ...settings };
    const child = Bun.spawn([...command, "serve"], { cwd: folder, env, stdout: "ignore" });
    atEnd(() => child.kill("SIGKILL"));
    return { child, folder };
  }

  test("of npm start reaches the server, and leaves no orphan", async () => {
    const folder = temporaryFolder();
    const env = { ...process.env, PORT: "0", LOG_FORMAT: "json", DATABASE_URL: `sqlite:${folder}/plantstore.db` };
    const npm = Bun.spawn(["npm", "start"], { cwd: ROOT, env, stdout: "pipe", stderr: "ignore" });
    const reader = npm.stdout.getReader();
    let output = "";
    while (!output.includes('"msg":"listening"')) output += new TextDecoder().decode((await reader.read()).value);
    const [url] = /http:\/\/[^\s"/]+:\d+/.exec(output) ?? [];
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    npm.kill("SIGTERM");
    await npm.exited;
    const isRefused = () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      );
    await eventually("nobody answers", isRefused);
  });
});

/** The process that was started by the given one. */
function childOf(pid: number): number | undefined {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return child ? Number(child) : undefined;
}

function catchesSigterm(pid: number): boolean {
  const [, caught = "0"] = /^SigCgt:\t(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (BigInt(`0x${caught}`) & SIGTERM_BIT) !== 0n;
}
