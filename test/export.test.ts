import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import type { ApiRequest } from "./support/api-request.ts";
import { DEFAULT_ENGINE } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { HARD_PLANTS, plantJson } from "./support/hard-plants.ts";
import { startService } from "./support/service.ts";
import { testUnless } from "./support/skipped.ts";

const count = 5000;

const service = await startService();
afterAll(async () => {
  await service.stop();
  // Readers of these tests have left exports, which is no fault.
  expect(service.output()).toContain('"listening"');
  expect(service.output()).not.toMatch(/"level":"error"|broke off/);
});
const token = await service.token();
const lines = HARD_PLANTS.map(plantJson);
const plain = Array.from({ length: count - lines.length }, (_, i) => `{"id":${i + 1000},"name":"Plant ${i}"}`);
await send("application/x-ndjson", [...lines, ...plain].reverse().join("\n"), token);

const exported = (type: string, sent: ApiRequest = {}, method = "GET") =>
  service.send(method, "/v1/plants", { as: token, headers: { Accept: type }, ...sent });

async function newestFirst(): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path: string = `/v1/plants?order=-created_at&limit=1000${cursor && `&cursor=${cursor}`}`;
    const text = await (await service.send("GET", path, { as: token })).text();
    ids.push(...[...text.matchAll(/\{"id":(-?\d+),/g)].map(([, id]) => BigInt(id ?? "x")));
    cursor = JSON.parse(text).next_cursor;
  }
  return ids;
}

async function send(type: string, body: string, as: string): Promise<unknown> {
  return (await service.send("POST", "/v1/plants", { as, headers: { "Content-Type": type }, body })).json();
}

describe("an export", () => {
  test("as lines holds every plant in the order of creation, each exactly as a read gives it", async () => {
    const answer = await exported("application/x-ndjson");
    expect([answer.status, answer.headers.get("Content-Type"), answer.headers.get("Vary")]).toEqual([
      200,
      "application/x-ndjson",
      "Accept",
    ]);
    const text = await answer.text();
    expect(text).toEndWith("}\n");
    const lines = text.trimEnd().split("\n");
    const ids = lines.map((line) => BigInt(/^\{"id":(-?\d+),/.exec(line)?.[1] ?? "x"));
    expect(ids).toEqual((await newestFirst()).reverse());
    for (const { id } of HARD_PLANTS) {
      expect(lines).toContain(await (await service.send("GET", `/v1/plants/${id}`, { as: token })).text());
    }
  });

  test("as CSV is what any reader of RFC 4180 takes back exactly, no cell altered", async () => {
    const answer = await exported("text/csv");
    expect(answer.headers.get("Content-Type")).toBe("text/csv; charset=utf-8; header=present");
    const text = await answer.text();
    expect(text).toStartWith("id,name,tag,created_at,updated_at\r\n");
    expect(text).toContain("\r\n-9223372036854775808,Lowest,,20");
    const rows: string[][] = parse(text, { record_delimiter: "\r\n", bom: false });
    expect(rows.length).toBe(count + 1);
    const byId = new Map(rows.map((row) => [row[0], row]));
    for (const { id, name, tag = "" } of HARD_PLANTS) {
      expect(byId.get(id)).toEqual([id, name, tag, expect.stringMatching(/^20.*Z$/), expect.stringMatching(/^20.*Z$/)]);
    }
    expect(text).toContain('\r\n1,"","",20');
    expect(text).toContain('\r\n2,"",,20');
    expect(text).toContain("\r\n9,=1+1,@SUM(A1),20");
  });

  test("of an account without plants is an empty body, or the header alone", async () => {
    const other = await service.token();
    expect(await (await exported("application/x-ndjson", { as: other })).text()).toBe("");
    expect(await (await exported("text/csv", { as: other })).text()).toBe("id,name,tag,created_at,updated_at\r\n");
  });

  test("that is asked for by HEAD says what it would be, and runs none", async () => {
    for (let i = 0; i < 20; i++) {
      const answer = await exported("text/csv", {}, "HEAD");
      expect([answer.status, answer.headers.get("Vary"), await answer.text()]).toEqual([200, "Accept", ""]);
      expect(answer.headers.get("Events-Cursor")).toMatch(/^\w+$/);
    }
  });
});

test("eight exports run at once for each account; when one ends or its reader leaves, another may begin", async () => {
  // More than the sockets between hold.
  const padding = "x".repeat(100_000);
  const lines = Array.from({ length: 400 }, (_, i) => `{"id":${i},"name":"${padding}"}`).join("\n");
  const as = await service.token();
  await send("application/x-ndjson", lines, as);
  const begin = async () => {
    const leaving = new AbortController();
    const answer = await exported("application/x-ndjson", { as, signal: leaving.signal });
    return { answer, leave: () => leaving.abort() };
  };
  const running = await Promise.all(Array.from({ length: 8 }, begin));
  expect(running.map(({ answer }) => answer.status)).toEqual(Array(8).fill(200));
  const ninth = (await begin()).answer;
  expect([ninth.status, ninth.headers.get("Retry-After")]).toEqual([429, "5"]);
  expect(await ninth.json()).toEqual({ error: 42901, message: expect.any(String) });
  expect((await exported("text/csv")).status).toBe(200);
  running[0]?.leave();
  let again = await begin();
  await eventually("another may begin", async () => {
    if (again.answer.status === 429) again = await begin();
    return again.answer.status === 200;
  });
  for (const { leave } of [...running.slice(1), again]) leave();
});

test("one whose token is revoked is cut within about a second, however slowly it is read, and ends as a cut", async () => {
  const own = await startService();
  const as = await own.token();
  // More than the sockets between hold.
  const lines = Array.from({ length: 400 }, (_, id) => `{"id":${id},"name":"${"x".repeat(100_000)}"}`).join("\n");
  await own.send("POST", "/v1/plants/import", { as, headers: { "Content-Type": "application/x-ndjson" }, body: lines });
  const reader = connect({ host: "127.0.0.1", port: Number(new URL(own.url).port) });
  let text = "";
  reader.on("data", (chunk) => {
    text = text.slice(-1000) + chunk.toString("latin1");
    if (!own.output().includes("export cut")) reader.pause();
  });
  reader.on("error", () => undefined);
  reader.write(`GET /v1/plants/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${as}\r\n\r\n`);
  await eventually("the export has begun", () => text !== "");
  const [{ id: account }] = JSON.parse(await own.command("account", "list", "--json"));
  const [{ id }] = JSON.parse(await own.command("token", "list", "--account", account, "--json"));
  await own.command("token", "revoke", id);
  const revoked = performance.now();
  await eventually("the export is cut", () => own.output().includes("its token was revoked"));
  // A busy machine looks later.
  expect(performance.now() - revoked).toBeLessThan(5000);
  const closed = new Promise((resolve) => reader.once("close", resolve));
  reader.resume();
  await closed;
  expect(text).not.toEndWith("0\r\n\r\n");
  await own.stop();
});

const otherEngine = DEFAULT_ENGINE === "sqlite" ? undefined : "PostgreSQL has no such log of readers";
testUnless(
  otherEngine,
  "one that holds back the reuse of more than 256 MiB of write-ahead log is cut, and the log says why",
  async () => {
    const own = await startService({ engine: "sqlite" });
    const as = await own.token();
    const headers = { "Content-Type": "application/x-ndjson" };
    const plants = Array.from({ length: 30 }, (_, id) => `{"id":${id},"name":"${"x".repeat(1024 * 1000)}"}`);
    const imported = await own.send("POST", "/v1/plants/import", { as, headers, body: plants.join("\n") });
    expect(await imported.json()).toMatchObject({ created: 30 });
    // Another program's rows fill the log sooner than plants do.
    const side = new Database(join(own.folder, "plantstore.db"));
    side.run("PRAGMA wal_autocheckpoint = 0");
    side.run("PRAGMA busy_timeout = 10000");
    side.run("CREATE TABLE filler (bytes)");
    /** In parts, since a slow machine would else keep the service from writing for longer than it waits for a lock. */
    const write = async (mebibytes: number) => {
      for (let written = 0; written < mebibytes; written += 10) {
        side.run("INSERT INTO filler VALUES (zeroblob(?))", [10 * 2 ** 20]);
        await Bun.sleep(20);
      }
    };
    const reader = connect({ host: "127.0.0.1", port: Number(new URL(own.url).port) });
    let text = "";
    reader.on("data", (chunk) => {
      text = text.slice(-1000) + chunk.toString("latin1");
      reader.pause();
    });
    reader.on("error", () => undefined);
    reader.write(`GET /v1/plants/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${as}\r\n\r\n`);
    await eventually("the export has begun", () => text !== "");
    // A reader that takes nothing at all is cut for that, before a slow machine has written so much.
    const taking = setInterval(() => reader.resume(), 20_000);
    await write(240);
    // It is looked at every 250 ms.
    await Bun.sleep(500);
    expect(own.output()).not.toContain("export cut");
    await write(60);
    await eventually("the export is cut", () => own.output().includes("export cut"));
    expect(own.output()).toMatch(
      /"level":"warn".*"reason":"it held back the reuse of more than 256 MiB of write-ahead log"/,
    );
    expect(own.output()).not.toContain('"level":"error"');
    clearInterval(taking);
    const closed = new Promise((resolve) => reader.once("close", resolve));
    reader.removeAllListeners("data");
    reader.on("data", (chunk) => {
      text = text.slice(-1000) + chunk.toString("latin1");
    });
    reader.resume();
    await closed;
    expect(text).not.toEndWith("0\r\n\r\n");
    const checkpoint = side.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)");
    await eventually("the log can be used again", () => checkpoint.get()?.busy === 0);
    side.close();
    await own.stop();
  },
);
