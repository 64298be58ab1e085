import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ENGINES, type TestEngine } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { queryOnce } from "./support/query.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { startService, type TestService } from "./support/service.ts";
import { startUpload, type Upload } from "./support/upload.ts";

/** A bulk create may continue for 2.5 s of a stop. */
const SOON_MS = 2000;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(): Promise<{ service: TestService; token: string }> {
  const service = await startService();
  ends.push(() => service.stop());
  return { service, token: await service.token() };
}

/** Keeps sending until the plant with this id can be read: a slow upload is written before it ends. */
async function sendUntilKept(upload: Upload, service: TestService, token: string, id: number): Promise<void> {
  await eventually("what was sent is on disk", async () => {
    upload.send(1);
    return (await service.send("GET", `/v1/plants/${id}`, { as: token })).ok;
  });
}

test("when storage fails in the middle, the answer says up to which line everything is on disk, and it is", async () => {
  const { service, token } = await started();
  const upload = startUpload(service, token);
  upload.send(3000);
  await sendUntilKept(upload, service, token, 3000);
  // Later records are written after all earlier ones.
  await sendUntilKept(upload, service, token, upload.send(1));
  const locked = new Database(join(service.folder, "plantstore.db"));
  ends.push(() => locked.close());
  locked.run("PRAGMA busy_timeout = 30000");
  locked.run("BEGIN IMMEDIATE");
  upload.send(5000);
  upload.end();
  const answer = await upload.answer;
  const { error, message } = (await answer.json()) as { error: number; message: string };
  expect([answer.status, error, answer.headers.get("Retry-After")]).toEqual([503, 50301, "1"]);
  const line = Number(/everything up to line (\d+) is on disk/.exec(message)?.[1]);
  expect(line).toBeGreaterThanOrEqual(3000);
  locked.run("ROLLBACK");
  const exported = await service.send("GET", "/v1/plants", { as: token, headers: { Accept: "text/csv" } });
  const rows = (await exported.text()).trimEnd().split("\r\n").slice(1);
  expect(rows.slice(0, line).map((row) => Number(row.split(",", 1)[0]))).toEqual(
    Array.from({ length: line }, (_, i) => i + 1),
  );
});

/** Takes the storage away in the middle of what is under way; resolves with a function that gives it back. */
async function takeStorageAway(service: TestService, engine: TestEngine): Promise<() => Promise<void>> {
  if (engine === "sqlite") {
    const locked = new Database(join(service.folder, "plantstore.db"));
    locked.run("PRAGMA busy_timeout = 30000");
    locked.run("BEGIN IMMEDIATE");
    return async () => locked.close();
  }
  const own = new URL(service.environment.DATABASE_URL ?? "");
  const name = own.pathname.slice(1);
  own.pathname = "/postgres";
  const allow = (may: boolean) => queryOnce(own.href, `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${may}`);
  await allow(false);
  await queryOnce(own.href, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  return async () => void (await allow(true));
}

describe.each(ENGINES)("on %s, when storage fails in the middle,", (engine) => {
  test("an update and a removal answer up to which line everything is on disk, and it is; a dry run has written nothing", async () => {
    const service = await startService({ engine });
    ends.push(() => service.stop());
    const COUNT = 1800;
    const stores = await Promise.all(
      ACTS.map(async (act) => {
        const token = await service.token();
        const filled = startUpload(service, token);
        filled.send(COUNT);
        filled.end();
        expect((await filled.answer).status).toBe(200);
        const upload = startUpload(service, token, act);
        upload.send(COUNT / 2);
        return { ...act, token, upload };
      }),
    );
    const tags = async (token: string) => {
      const answer = await service.send("GET", "/v1/plants/export", { as: token });
      const lines = (await answer.text()).split("\n").filter(Boolean);
      return new Map(
        lines.map((line) => JSON.parse(line)).map(({ id, tag }) => [id as number, tag as string | undefined]),
      );
    };
    const isDone = async ({ token, path }: (typeof stores)[number], id: number) => {
      const plant = await service.send("GET", `/v1/plants/${id}`, { as: token });
      return path.includes("remove") ? plant.status === 404 : ((await plant.json()) as { tag?: string }).tag === "new";
    };
    const [update, removal] = stores as [(typeof stores)[number], (typeof stores)[number]];
    for (const each of [update, removal])
      await eventually("the first lines are on disk", async () => {
        each.upload.send(1);
        return isDone(each, COUNT / 2);
      });
    const giveBack = await takeStorageAway(service, engine);
    for (const { upload } of stores) {
      upload.send(COUNT / 3);
      upload.end();
    }
    const answers = await Promise.all(
      stores.map(async ({ upload }) => {
        const answer = await upload.answer;
        return { status: answer.status, ...((await answer.json()) as { error?: number; message?: string }) };
      }),
    );
    await giveBack();
    const [updated, removed, tried] = answers as [(typeof answers)[0], (typeof answers)[0], (typeof answers)[0]];
    const lineOf = ({ message = "" }) => Number(/everything up to line (\d+) is on disk/.exec(message)?.[1]);
    for (const each of [updated, removed]) {
      expect(each).toMatchObject({ status: 503, error: 50301 });
      expect(lineOf(each)).toBeGreaterThanOrEqual(COUNT / 2);
    }
    // The reads of a dry run need no lock for writing.
    if (engine === "postgres")
      expect(tried).toMatchObject({ status: 503, message: expect.stringContaining("it has written nothing") });
    await eventually("it is ready", async () => (await fetch(`${service.url}/readyz`)).ok);
    const [afterUpdate, afterRemoval, afterTrial] = await Promise.all(stores.map(({ token }) => tags(token)));
    const upTo = (line: number) => Array.from({ length: line }, (_, at) => at + 1);
    expect(upTo(lineOf(updated)).filter((id) => afterUpdate?.get(id) !== "new")).toEqual([]);
    expect(upTo(lineOf(removed)).filter((id) => afterRemoval?.has(id))).toEqual([]);
    expect([afterTrial?.size, new Set(afterTrial?.values())]).toEqual([COUNT, new Set([undefined])]);
  });
});

const UPDATE_PATH = "/v1/plants/import?existing=update";
const newTag = (id: number) => `{"id":${id},"tag":"new"}`;
const ACTS = [
  { path: UPDATE_PATH, lineOf: newTag },
  { path: "/v1/plants/remove", lineOf: String },
  { path: `${UPDATE_PATH}&dry_run=true`, lineOf: newTag },
] as const;

test("a service that is told to stop finishes a bulk create that ends soon", async () => {
  // On a busy machine it may end later than the service waits.
  for (let lateMs = Number.POSITIVE_INFINITY; lateMs > SOON_MS; ) {
    const { service, token } = await started();
    const upload = startUpload(service, token);
    upload.send(100);
    await sendUntilKept(upload, service, token, 100);
    const toldAt = performance.now();
    service.process.kill("SIGTERM");
    await eventually("it is stopping", () => service.output().includes('"stopping"'));
    upload.send(100);
    upload.end();
    const answer = await upload.answer;
    lateMs = performance.now() - toldAt;
    if (lateMs <= SOON_MS) expect([answer.status, await answer.json()]).toMatchObject([200, { failed: 0 }]);
    expect(await service.process.exited).toBe(0);
  }
});

test("one that does not is answered 503 before the service is gone, with what is on disk", async () => {
  const { service, token } = await started();
  const connection = await RawConnection.open(service.url);
  const head = ["POST /v1/plants HTTP/1.1", "Host: x", `Authorization: Bearer ${token}`];
  const type = ["Content-Type: application/x-ndjson", "Transfer-Encoding: chunked"];
  await connection.send(`${[...head, ...type].join("\r\n")}\r\n\r\n`);
  let sent = 0;
  const sending = setInterval(() => {
    const line = `{"id":${++sent},"name":"Plant"}\n`;
    void connection.send(`${line.length.toString(16)}\r\n${line}\r\n`);
  }, 50);
  ends.push(() => clearInterval(sending));
  await eventually("it is under way", async () => (await service.send("GET", "/v1/plants/20", { as: token })).ok);
  service.process.kill("SIGTERM");
  const answer = await connection.answer();
  expect([answer?.status, JSON.parse(answer?.body ?? "")]).toEqual([
    503,
    { error: 50301, message: expect.stringMatching(/shutting down: everything up to line \d+ is on disk/) },
  ]);
  expect(await service.process.exited).toBe(0);
});
