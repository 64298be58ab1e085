import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { ApiRequest } from "./support/api-request.ts";
import { newPostgresDatabase } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { Load } from "./support/load.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { describeUnless } from "./support/skipped.ts";

const PGBOUNCER = Bun.which("pgbouncer", { PATH: `${process.env.PATH}:/usr/sbin` });
const MISSING = PGBOUNCER ? undefined : "pgbouncer is not installed";

/** As in deploy/pgbouncer.ini, connections are lent for one transaction, and there are fewer than the nodes ask for. */
function configuration(database: URL, port: number): string {
  return `[databases]
plantstore = host=${database.hostname} port=${database.port} dbname=${database.pathname.slice(1)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`;
}

describeUnless(MISSING, "behind PgBouncer in transaction mode", () => {
  let bouncer: ChildProcess;
  let nodes: TestService[];

  beforeAll(async () => {
    const database = new URL(await newPostgresDatabase());
    const folder = temporaryFolder();
    const port = freePort();
    const file = join(folder, "pgbouncer.ini");
    const text = configuration(database, port).replace("dbname=", `user=plantstore password=secret dbname=`);
    writeFileSync(file, text);
    Bun.spawnSync(["chmod", "-R", "a+rX", folder]);
    const identity = userInfo().uid === 0 ? { uid: 65534, gid: 65534 } : {};
    bouncer = spawn(PGBOUNCER ?? "", [file], { ...identity, stdio: "ignore" });
    const url = `postgres://plantstore:secret@127.0.0.1:${port}/plantstore`;
    nodes = await Promise.all([1, 2].map(() => startService({ settings: { DATABASE_URL: url, RATE_LIMIT: "1000" } })));
  });

  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    bouncer.kill("SIGKILL");
  });

  test("two nodes start on an empty database at once, create under load, list, search, export, change and remove", async () => {
    const [node] = nodes;
    if (!node) throw new Error("There is no node");
    const token = await node.token();
    const load = new Load({ token, clients: 16, address: (client) => nodes[client % 2]?.url ?? "" });
    await eventually("creates are under way", () => load.acknowledged.size > 300);
    await load.stop();
    expect([load.refusals, load.broken]).toEqual([[], 0]);
    const ask = (path: string, sent: ApiRequest = {}, method = "GET") =>
      node.send(method, `/v1/plants${path}`, { as: token, ...sent });
    const exported = await (await ask("", { headers: { Accept: "application/x-ndjson" } })).text();
    expect(exported.trim().split("\n")).toHaveLength(load.acknowledged.size);
    expect(await (await ask("?q=MONSTERA&limit=2")).json()).toMatchObject({ data: [{ id: 1 }, { id: 2 }] });
    // More often than connections: each may have planned another node's statement, or none.
    for (let time = 0; time < 8; time++) {
      expect(await (await ask("?limit=2")).json()).toMatchObject({ data: [{ id: 1 }, { id: 2 }] });
      const events = await node.send("GET", "/v1/events?limit=2", { as: token });
      expect((await events.json()).data).toHaveLength(2);
    }
    expect((await ask("/1", { body: { tag: "x" } }, "PATCH")).status).toBe(200);
    expect((await ask("/1", {}, "DELETE")).status).toBe(204);
    expect((await ask("/1")).status).toBe(404);
  });
});
