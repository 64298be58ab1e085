import { dirname, join } from "node:path";

/** The cluster runs the files of deploy/ themselves. Only addresses, ports, folders and passwords are changed. */
export const PASSWORD = "only-on-loopback";
const DEPLOY = join(import.meta.dir, "..");

export interface DatabasePorts {
  readonly name: string;
  readonly postgres: number;
  readonly patroni: number;
}

export interface Ports {
  readonly etcd: number;
  readonly etcdPeers: number;
  readonly databases: readonly DatabasePorts[];
  /** HAProxy's port that leads to the primary. */
  readonly primary: number;
  /** HAProxy's port that spreads requests over the nodes. */
  readonly web: number;
  readonly pooler: number;
  readonly nodes: readonly number[];
}

/** `folder` is that of the database, inside the one with the certificates. */
export async function patroniFile(database: DatabasePorts, ports: Ports, folder: string): Promise<string> {
  return replaced(await read("patroni.yml"), [
    ["name: <db1>", `name: ${database.name}`],
    ["0.0.0.0:8008", `127.0.0.1:${database.patroni}`],
    ["<address of this machine>:8008", `127.0.0.1:${database.patroni}`],
    ["<etcd1>:2379,<etcd2>:2379,<etcd3>:2379", `127.0.0.1:${ports.etcd}`],
    ["0.0.0.0:5432", `127.0.0.1:${database.postgres}`],
    ["<address of this machine>:5432", `127.0.0.1:${database.postgres}`],
    ["/var/lib/postgresql/plantstore", `${folder}/data\n  parameters:\n    unix_socket_directories: ${folder}`],
    ["<password>", PASSWORD],
    ["<network of the database machines>", "127.0.0.1/32"],
    ["<network of the database and service machines>", "127.0.0.1/32"],
    ["/etc/plantstore", dirname(folder)],
  ]);
}

type HaproxyPorts = Pick<Ports, "databases" | "primary" | "web" | "nodes">;

export async function haproxyFile(ports: HaproxyPorts, statisticsSocket: string): Promise<string> {
  const databases = ports.databases.map(
    ({ name, postgres, patroni }) => `server ${name} 127.0.0.1:${postgres} check port ${patroni}`,
  );
  const nodes = ports.nodes.map((port, index) => `server node${index + 1} 127.0.0.1:${port} check`);
  return replaced(await read("haproxy.cfg"), [
    ["global\n", `global\n    stats socket ${statisticsSocket}\n`],
    // A test machine may not allow as many open files.
    ["maxconn 20000", "maxconn 1000"],
    ["bind :5000", `bind 127.0.0.1:${ports.primary}`],
    ["bind :80", `bind 127.0.0.1:${ports.web}`],
    ["server db1 <db1>:5432 check port 8008\n    server db2 <db2>:5432 check port 8008", databases.join("\n    ")],
    ["server node1 <node1>:3000 check\n    server node2 <node2>:3000 check", nodes.join("\n    ")],
  ]);
}

/** The certificates are beside the file of the users. */
export async function pgbouncerFile(ports: Ports, usersFile: string): Promise<string> {
  return replaced(await read("pgbouncer.ini"), [
    ["host=<name of HAProxy> port=5000", `host=127.0.0.1 port=${ports.primary}`],
    ["listen_addr = *", "listen_addr = 127.0.0.1\nunix_socket_dir ="],
    ["listen_port = 6432", `listen_port = ${ports.pooler}`],
    ["/etc/pgbouncer/userlist.txt", usersFile],
    ["/etc/plantstore", dirname(usersFile)],
  ]);
}

function read(name: string): Promise<string> {
  return Bun.file(join(DEPLOY, name)).text();
}

/**
 * Throws if the file no longer contains a text that is to be replaced, or still names a machine after all replacements.
 */
function replaced(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  let changed = text;
  for (const [from, to] of changes) {
    if (!changed.includes(from)) throw new Error(`deploy/try expects ${JSON.stringify(from)} in a file of deploy/`);
    changed = changed.replaceAll(from, to);
  }
  const [left] = /^[^#;\n]*<[a-z0-9 ]+>.*$/m.exec(changed) ?? [];
  if (left) throw new Error(`deploy/try has no value for: ${left.trim()}`);
  return changed;
}
