import { userInfo } from "node:os";

/** The Debian package of each program that the cluster needs. */
const PACKAGES = {
  etcd: "etcd-server",
  patroni: "patroni",
  haproxy: "haproxy",
  pgbouncer: "pgbouncer",
  postgres: "postgresql-15",
} as const;

export type Program = keyof typeof PACKAGES;

const PATH = `${process.env.PATH}:/usr/sbin:/usr/lib/postgresql/15/bin`;

/** The packages that are missing here. */
export function missingPackages(): string[] {
  return Object.entries(PACKAGES).flatMap(([program, name]) => (Bun.which(program, { PATH }) ? [] : [name]));
}

/** PostgreSQL and PgBouncer refuse to run as root, so root starts every program of the cluster as Debian's "postgres". */
export function unprivileged(program: Program, ...flags: string[]): string[] {
  const command = [Bun.which(program, { PATH }) ?? program, ...flags];
  if (userInfo().uid !== 0) return command;
  return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", ...command];
}
