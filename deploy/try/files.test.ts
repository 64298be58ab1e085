import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { missingProgram, testUnless } from "#test/support/skipped.ts";
import { haproxyFile, type Ports, patroniFile, pgbouncerFile } from "./files.ts";

const PATH = `${process.env.PATH}:/usr/sbin`;
const DATABASE = { name: "db1", postgres: 10_001, patroni: 10_002 };
const PORTS: Ports = {
  etcd: 10_003,
  etcdPeers: 10_004,
  primary: 10_005,
  web: 10_006,
  pooler: 10_007,
  databases: [DATABASE, { name: "db2", postgres: 10_008, patroni: 10_009 }],
  nodes: [10_010, 10_011, 10_012],
};

test("patroni.yml becomes the file of one machine, and keeps its promises: a standby has each commit, and lag is none", async () => {
  const file = parse(await patroniFile(DATABASE, PORTS, "/tmp/db1"));
  expect(file).toMatchObject({ name: "db1", restapi: { connect_address: "127.0.0.1:10002" } });
  expect(file.postgresql).toMatchObject({ connect_address: "127.0.0.1:10001", data_dir: "/tmp/db1/data" });
  expect(file.bootstrap.dcs).toMatchObject({ synchronous_mode: true, maximum_lag_on_failover: 0 });
});

test("pgbouncer.ini lends connections for one transaction and leads to HAProxy", async () => {
  const file = await pgbouncerFile(PORTS, "/tmp/users.txt");
  expect(file).toContain("plantstore = host=127.0.0.1 port=10005 dbname=plantstore");
  expect(file).toContain("pool_mode = transaction");
});

testUnless(
  missingProgram("haproxy", PATH),
  "HAProxy takes haproxy.cfg, with every database and node in it",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "plantstore-haproxy-"));
    const file = join(folder, "haproxy.cfg");
    const text = await haproxyFile(PORTS, join(folder, "socket"));
    await Bun.write(file, text);
    const { stderr, exitCode } = Bun.spawnSync([Bun.which("haproxy", { PATH }) ?? "haproxy", "-c", "-f", file]);
    rmSync(folder, { recursive: true });
    expect({ exitCode, stderr: stderr.toString() }).toMatchObject({ exitCode: 0 });
    expect(text.match(/^ +server .* check/gm)).toHaveLength(PORTS.databases.length + PORTS.nodes.length);
  },
);
