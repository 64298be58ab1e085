import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { eventually } from "./support/eventually.ts";
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
