import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { haproxyFile } from "../deploy/try/files.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { describeUnless, missingProgram } from "./support/skipped.ts";

const PATH = `${process.env.PATH}:/usr/sbin`;

describeUnless(missingProgram("haproxy", PATH), "behind HAProxy", () => {
  const folder = temporaryFolder();
  let nodes: TestService[];
  let proxy: Bun.Subprocess;
  let url: string;
  let token: string;

  beforeAll(async () => {
    const first = await startService({ folder, settings: { PORT: String(freePort()) } });
    nodes = [first, await startService({ folder })];
    token = await first.token();
    const [web, primary] = [freePort(), freePort()];
    url = `http://127.0.0.1:${web}`;
    const ports = { web, primary, databases: [], nodes: nodes.map((node) => Number(new URL(node.url).port)) };
    const file = join(folder, "haproxy.cfg");
    writeFileSync(file, await haproxyFile(ports, join(folder, "stats.sock")));
    const program = Bun.which("haproxy", { PATH }) ?? "haproxy";
    proxy = Bun.spawn([program, "-db", "-f", file], { stdout: "ignore", stderr: "ignore" });
  });
  afterAll(async () => {
    proxy.kill();
    await Promise.all(nodes.map((node) => node.stop()));
  });

  /** The states of the two nodes as HAProxy's check sees them. */
  async function states(): Promise<string[]> {
    let answer = "";
    const ended = Promise.withResolvers<void>();
    await Bun.connect({
      unix: join(folder, "stats.sock"),
      socket: {
        open: (socket) => void socket.write("show stat\n"),
        data: (_, bytes) => {
          answer += bytes.toString();
        },
        close: () => ended.resolve(),
        error: () => ended.resolve(),
      },
    });
    await ended.promise;
    const rows = answer.split("\n").map((line) => line.split(","));
    return ["node1", "node2"].map((name) => rows.find((row) => row[0] === "nodes" && row[1] === name)?.[17] ?? "");
  }

  async function seen(node1: RegExp, node2: RegExp): Promise<void> {
    await eventually(`node1 is ${node1} and node2 ${node2}`, async () => {
      const [first = "", second = ""] = await states().catch(() => []);
      return node1.test(first) && node2.test(second);
    });
  }

  async function creates(from: number, count: number): Promise<number[]> {
    const statuses: number[] = [];
    for (let id = from; id < from + count; id++) {
      const headers = { Authorization: `Bearer ${token}` };
      const body = JSON.stringify({ id, name: "Fern" });
      // Each on a connection of its own: one that is used again may meet its own end (RFC 9112, 9.3.1).
      statuses.push((await fetch(`${url}/v1/plants`, { method: "POST", headers, body, keepalive: false })).status);
    }
    return statuses;
  }

  test("its check, HTTP/1.0 without a Host, finds both nodes up", async () => {
    await seen(/^UP/, /^UP/);
    expect(new Set(await creates(1, 20))).toEqual(new Set([200]));
  });

  test("a node that drains is taken out, and no request is lost meanwhile", async () => {
    const [draining] = nodes;
    const statuses: number[] = [];
    let drained = false;
    const stopping = draining?.stop().then(() => {
      drained = true;
    });
    for (let from = 100; !drained || statuses.length < 50; from += 10) statuses.push(...(await creates(from, 10)));
    await stopping;
    // One that reaches the node between two checks is told to come again.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    await seen(/^DOWN/, /^UP/);
    expect(new Set(await creates(10_000, 20))).toEqual(new Set([200]));
  });

  test("a node that comes back gets requests again, and the death of the other is seen", async () => {
    const port = new URL(nodes[0]?.url ?? "").port;
    nodes[0] = await startService({ folder, settings: { PORT: port } });
    await seen(/^UP/, /^UP/);
    await nodes[1]?.kill();
    await seen(/^UP/, /^DOWN/);
    expect(new Set(await creates(20_000, 20))).toEqual(new Set([200]));
    nodes.pop();
  });
});
