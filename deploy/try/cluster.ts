import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { newAuthority } from "#test/support/certificates.ts";
import { eventually } from "#test/support/eventually.ts";
import { freePort } from "#test/support/free-port.ts";
import { queryOnce } from "#test/support/query.ts";
import { haproxyFile, PASSWORD, type Ports, patroniFile, pgbouncerFile } from "./files.ts";
import { Part } from "./part.ts";

const DATABASES = 3;
const NODES = 3;
const START_MS_MAX = 60_000;
const PROGRAM = join(import.meta.dir, "../../bin/plantstore");
/** The Debian package of each program that the cluster needs. */
const PACKAGES = {
  etcd: "etcd-server",
  patroni: "patroni",
  haproxy: "haproxy",
  pgbouncer: "pgbouncer",
  postgres: "postgresql-15",
} as const;
const PATH = `${process.env.PATH}:/usr/sbin:/usr/lib/postgresql/15/bin`;

/** The packages that are missing here. */
export function missingPackages(): string[] {
  return Object.entries(PACKAGES).flatMap(([program, name]) => (Bun.which(program, { PATH }) ? [] : [name]));
}

/** PostgreSQL and PgBouncer refuse to run as root, so root starts every program of the cluster as Debian's "postgres". */
function unprivileged(program: keyof typeof PACKAGES, ...flags: string[]): string[] {
  const command = [Bun.which(program, { PATH }) ?? program, ...flags];
  if (userInfo().uid !== 0) return command;
  return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", ...command];
}

/** etcd, PostgreSQL under Patroni, PgBouncer, HAProxy and nodes of the service, all on the loopback of this machine. */
export class Cluster {
  readonly #etcd: Part;
  readonly #haproxy: Part;
  readonly #databases: readonly Part[];
  readonly pooler: Part;
  readonly nodes: readonly Part[];

  private constructor(
    private readonly folder: string,
    private readonly ports: Ports,
  ) {
    const log = (name: string) => join(folder, `${name}.log`);
    const client = `http://127.0.0.1:${ports.etcd}`;
    const peers = `http://127.0.0.1:${ports.etcdPeers}`;
    const etcdFlags = Object.entries({
      "data-dir": join(folder, "etcd"),
      "listen-client-urls": client,
      "advertise-client-urls": client,
      "listen-peer-urls": peers,
      "initial-advertise-peer-urls": peers,
      "initial-cluster": `default=${peers}`,
    }).map(([name, value]) => `--${name}=${value}`);
    this.#etcd = new Part("etcd", unprivileged("etcd", ...etcdFlags), log("etcd"));
    this.#databases = ports.databases.map(({ name }) => {
      const home = join(folder, name);
      return new Part(name, unprivileged("patroni", join(home, "patroni.yml")), log(name), { HOME: home });
    });
    this.pooler = new Part("PgBouncer", unprivileged("pgbouncer", join(folder, "pgbouncer.ini")), log("pgbouncer"));
    this.#haproxy = new Part(
      "HAProxy",
      unprivileged("haproxy", "-db", "-f", join(folder, "haproxy.cfg")),
      log("haproxy"),
    );
    this.nodes = ports.nodes.map(
      (port, index) =>
        new Part(`node${index + 1}`, [PROGRAM, "serve"], log(`node${index + 1}`), {
          ...this.environment,
          PORT: String(port),
        }),
    );
  }

  /** Starts everything, and waits until HAProxy leads to a node that is ready. */
  static async start(): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), "plantstore-try-"));
    const cluster = new Cluster(folder, await choosePorts());
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => void cluster.stop().finally(() => process.exit(1)));
    }
    try {
      await cluster.#start();
    } catch (cause) {
      const logs = [cluster.#etcd, cluster.#haproxy, ...cluster.#databases, cluster.pooler, ...cluster.nodes];
      const printed = logs.map((part) => `-- ${part.name}\n${part.log()}`).join("\n");
      await cluster.stop();
      throw new Error(`The cluster does not start.\n${printed}`, { cause });
    }
    return cluster;
  }

  /** The address of the service, through HAProxy. */
  get url(): string {
    return `http://127.0.0.1:${this.ports.web}`;
  }

  /** The nodes reach the database through PgBouncer and HAProxy. */
  get environment(): Record<string, string> {
    const { HOME = "/" } = process.env;
    const database = `postgres://plantstore:${PASSWORD}@127.0.0.1:${this.ports.pooler}/plantstore${this.#tls}`;
    return { HOME, DATABASE_URL: database, TRUSTED_PROXIES: "127.0.0.1", LOG_FORMAT: "json" };
  }

  async #start(): Promise<void> {
    const folder = this.folder;
    const authority = await newAuthority();
    const { cert, key } = await authority.issue("127.0.0.1");
    writeFileSync(join(folder, "ca.crt"), authority.cert);
    writeFileSync(join(folder, "server.crt"), cert);
    writeFileSync(join(folder, "server.key"), key, { mode: 0o600 });
    for (const database of this.ports.databases) {
      const home = join(folder, database.name);
      mkdirSync(home);
      writeFileSync(join(home, "patroni.yml"), await patroniFile(database, this.ports, home));
    }
    writeFileSync(join(folder, "users.txt"), `"plantstore" "${PASSWORD}"\n`);
    writeFileSync(join(folder, "pgbouncer.ini"), await pgbouncerFile(this.ports, join(folder, "users.txt")));
    writeFileSync(join(folder, "haproxy.cfg"), await haproxyFile(this.ports, this.#statistics));
    chmodSync(folder, 0o700);
    if (userInfo().uid === 0) Bun.spawnSync(["chown", "-R", "postgres:postgres", folder]);
    this.#etcd.start();
    for (const database of this.#databases) database.start();
    this.#haproxy.start();
    await eventually("a primary has a synchronous standby", () => this.isRedundant(), START_MS_MAX);
    await this.#query("postgres", `CREATE ROLE plantstore LOGIN PASSWORD '${PASSWORD}'`);
    await this.#query("postgres", "CREATE DATABASE plantstore OWNER plantstore");
    this.pooler.start();
    for (const node of this.nodes) node.start();
    await eventually("all nodes are ready", () => this.isReady(), START_MS_MAX);
  }

  /** Resolves with true if all nodes are ready, also for HAProxy. */
  async isReady(): Promise<boolean> {
    const addresses = [this.url, ...this.ports.nodes.map((port) => `http://127.0.0.1:${port}`)];
    const answers = await Promise.all(addresses.map((url) => fetch(`${url}/readyz`).catch(() => undefined)));
    return answers.every((answer) => answer?.status === 200);
  }

  /**
   * Resolves with true if all databases run and every commit waits for a standby, so that losing the primary loses
   * nothing.
   */
  async isRedundant(): Promise<boolean> {
    try {
      const rows = await this.#query(
        "postgres",
        "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'",
      );
      return rows.length === DATABASES - 1 && rows.some(({ sync_state }) => sync_state === "sync");
    } catch {
      return false;
    }
  }

  /** Kills Patroni and PostgreSQL on the machine of the primary. The returned function starts that machine again. */
  async killPrimary(): Promise<() => void> {
    const index = await this.#primaryIndex();
    const machine = this.#databases[index];
    const { name } = this.ports.databases[index] ?? {};
    if (!machine || !name) throw new Error("No database is the primary");
    const postmaster = Number.parseInt(readFileSync(join(this.folder, name, "data/postmaster.pid"), "utf8"), 10);
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8")
      .trim()
      .split(" ")
      .map(Number);
    const stopped = machine.stop("SIGKILL");
    for (const pid of [postmaster, ...children]) process.kill(pid, "SIGKILL");
    await stopped;
    return () => machine.start();
  }

  async hasPrimary(): Promise<boolean> {
    return (await this.#primaryIndex()) >= 0;
  }

  /** A token of a new account, made as the operator's commands make it. */
  async token(): Promise<string> {
    const account = "try@example.com";
    await this.#command("account", "create", "--email", account);
    return (await this.#command("token", "create", "--account", account, "--name", "try")).trim();
  }

  /** Runs a command of the operator, and returns its output. */
  async #command(...args: string[]): Promise<string> {
    const env = { PATH: process.env.PATH ?? "", ...this.environment };
    const child = Bun.spawn([PROGRAM, ...args], { env, stdout: "pipe", stderr: "inherit" });
    const output = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error(`plantstore ${args.join(" ")} failed`);
    return output;
  }

  /** The node to which HAProxy has sent the most requests since it was last up. */
  async favourite(): Promise<number> {
    const [heads = "", ...lines] = (await this.#haproxyCommand("show stat")).trim().split("\n");
    const column = heads.replace(/^# /, "").split(",").indexOf("lbtot");
    const nodes = lines
      .map((line) => line.split(","))
      .filter(([proxy, server]) => proxy === "nodes" && /^node\d/.test(server ?? ""));
    const requests = nodes.map((row) => Number(row[column]));
    return requests.indexOf(Math.max(...requests));
  }

  /** The ids of all plants in the primary. */
  async plantIds(): Promise<Set<bigint>> {
    const rows = await this.#query("plantstore", "SELECT id::text FROM plants");
    return new Set(rows.map(({ id }) => BigInt(String(id))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await Promise.all([this.pooler, this.#haproxy, ...this.#databases].map((part) => part.stop()));
    await this.#etcd.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #tls(): string {
    return `?sslmode=verify-full&sslrootcert=${join(this.folder, "ca.crt")}`;
  }

  get #statistics(): string {
    return join(this.folder, "haproxy.sock");
  }

  async #primaryIndex(): Promise<number> {
    const roles = this.ports.databases.map(async ({ patroni }) => {
      const answer = await fetch(`http://127.0.0.1:${patroni}/primary`).catch(() => undefined);
      return answer?.status === 200;
    });
    return (await Promise.all(roles)).indexOf(true);
  }

  #primaryAddress(database: string): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.ports.primary}/${database}${this.#tls}`;
  }

  #query(database: string, text: string): Promise<Record<string, unknown>[]> {
    return queryOnce(this.#primaryAddress(database), text);
  }

  async #haproxyCommand(command: string): Promise<string> {
    const socket = createConnection(this.#statistics, () => socket.write(`${command}\n`));
    return (await Array.fromAsync(socket)).join("");
  }
}

async function choosePorts(): Promise<Ports> {
  const free = Array.from({ length: 5 + 2 * DATABASES + NODES }, freePort);
  const next = () => free.pop() ?? 0;
  return {
    etcd: next(),
    etcdPeers: next(),
    primary: next(),
    web: next(),
    pooler: next(),
    databases: Array.from({ length: DATABASES }, (_, index) => ({
      name: `db${index + 1}`,
      postgres: next(),
      patroni: next(),
    })),
    nodes: Array.from({ length: NODES }, next),
  };
}
