import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { eventually, eventuallyPasses } from "./support/eventually.ts";
import { openDescriptors, PROCESSES_SHOW, residentBytes } from "./support/process.ts";
import { expectRefusal, RawClient } from "./support/raw-client.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { chunked, rawRequest } from "./support/raw-request.ts";

const pid = () => client.service.process.pid;
const MIB = 1024 * 1024;

const client = await RawClient.start();
afterEach(() => client.expectServing());
afterAll(() => client.service.stop());
// The request log opens its files with the first refusal: they must not be counted as left behind by a client.
await client.create({ body: "{" });
const log = join(client.service.folder, "plantstore-requests.db-wal");
await eventually("the request log has opened its files", () => existsSync(log));

function open(): Promise<RawConnection> {
  return RawConnection.open(client.service.url);
}

function head(...headers: string[]): Uint8Array {
  return rawRequest({ headers: [client.authorization, ...headers] });
}

/**
 * Does the work twice and measures the second time: memory that the first time allocates is kept for reuse, and garbage
 * of the second time is collected within seconds.
 */
async function leavesNothingBehind(work: () => Promise<void>, growthBytesMax = 32 * MIB): Promise<void> {
  await work();
  const [descriptors, memory] = [openDescriptors(pid()), residentBytes(pid())];
  await work();
  // Jobs of the service open files for a moment, so both are looked at together until they are in order once.
  await eventuallyPasses(async () => {
    expect(openDescriptors(pid()) - descriptors).toBeLessThanOrEqual(2);
    expect(PROCESSES_SHOW ? residentBytes(pid()) - memory : 0).toBeLessThan(growthBytesMax);
  });
}

test("clients that leave in the middle of a request leave nothing behind, and none of it is done", async () => {
  const whole = rawRequest({ headers: [client.authorization], body: '{"id":6,"name":"half"}' });
  const parts = [
    whole.subarray(0, 10),
    whole.subarray(0, 60),
    whole.subarray(0, -1),
    head("Content-Length: 1000000"),
    Buffer.concat([head("Content-Length: 1000000"), Buffer.alloc(500_000, 0x20)]),
    Buffer.concat([head("Transfer-Encoding: chunked"), chunked('{"id":6,"name":"half"}', 5, false)]),
    Buffer.concat([head("Transfer-Encoding: chunked"), Buffer.from("ffff\r\n{")]),
  ];
  await leavesNothingBehind(async () => {
    for (let round = 0; round < 20; round++) {
      const connections = await Promise.all(parts.flatMap((part) => [part, part]).map(startedWith));
      for (const [at, connection] of connections.entries()) {
        if (at % 2) connection.abort();
        else connection.close();
      }
    }
  });
  expect(await client.holds(6)).toBe(false);
  expect(client.service.output()).not.toContain('"level":"error"');
});

async function startedWith(bytes: Uint8Array): Promise<RawConnection> {
  const connection = await open();
  await connection.send(bytes);
  return connection;
}

test("clients that leave before their answer leave nothing behind, and what they sent is done whole", async () => {
  await leavesNothingBehind(async () => {
    for (let id = 10_000; id < 10_100; id++) {
      const body = `{"id":${id},"name":"${"n".repeat(1000)}"}`;
      (await startedWith(rawRequest({ headers: [client.authorization], body }))).abort();
    }
  });
  for (let id = 10_000; id < 10_100; id++) {
    const { status, body } = await client.get(`/v1/plants/${id}`);
    if (status === 200) expect(JSON.parse(body).name).toHaveLength(1000);
    else expect(status).toBe(404);
  }
});

test("many clients that say nothing, or stop in the middle, keep nobody else waiting", async () => {
  const parts = [
    new Uint8Array(),
    Buffer.from("POST /v1/pl"),
    head("Content-Length: 100"),
    head("Transfer-Encoding: chunked"),
  ];
  // An account may have 32 bodies of unknown length under way.
  const partOf = (at: number) => parts[at % 16 === 15 ? 3 : at % 3];
  await leavesNothingBehind(async () => {
    const connections = await Promise.all(
      Array.from({ length: 400 }, (_, at) => startedWith(partOf(at) ?? new Uint8Array())),
    );
    for (let id = 0; id < 50; id++) expect((await client.create({ body: `{"id":${id},"name":"n"}` })).status).toBe(200);
    for (const connection of connections) {
      expect(connection.ended).toBe(false);
      connection.close();
    }
  });
});

test("a length of 10 GB is refused at once, however much of it follows, and nothing of it is kept", async () => {
  await leavesNothingBehind(async () => {
    const connections = await Promise.all(
      Array.from({ length: 10 }, () => startedWith(head("Content-Length: 10737418240"))),
    );
    for (const connection of connections) {
      const answer = await connection.answer();
      if (!answer) throw new Error("closed without an answer");
      expectRefusal(answer, 41301);
      for (let sent = 0; sent < 20 && !connection.ended; sent++) await connection.send(Buffer.alloc(100_000, 0x20));
      connection.close();
    }
  });
});

test("chunks of 16 MB are read to their end, so that the refusal is heard", async () => {
  const body = chunked(Buffer.alloc(16 * MIB, 0x20), 64 * 1024);
  await leavesNothingBehind(async () => {
    expectRefusal(await client.create({ headers: ["Transfer-Encoding: chunked"], body }), 41301);
  });
});

// A client that still sends when the connection is closed may lose the answer: TCP drops received bytes after a reset.
test.each([
  ["the body of a create", ["Content-Type: application/json"], ""],
  ["a field of an import", ["Content-Type: text/csv"], 'id,name\n70020,before\n1,"'],
])(
  "chunks without end in %s are refused and cut off after 64 MiB, and memory does not grow with them",
  async (_, type, start) => {
    const chunk = chunked(Buffer.alloc(256 * 1024, 0x20), 64 * 1024, false);
    await leavesNothingBehind(async () => {
      const endless = Array.from({ length: 3 }, async () => {
        const connection = await startedWith(head("Transfer-Encoding: chunked", ...type));
        if (start !== "") await connection.send(chunked(start, start.length, false));
        let sent = 0;
        while (!connection.ended && connection.unread === "" && sent < 100 * MIB)
          if (await connection.send(chunk)) sent += chunk.length;
        const answer = await connection.answer();
        await connection.closed();
        expect(sent).toBeLessThan(100 * MIB);
        if (answer) expectRefusal(answer, 41301);
      });
      await Promise.all(endless);
    }, 64 * MIB);
  },
);

test("bodies of a hundred thousand chunks of one byte take no more than they hold", async () => {
  const body = chunked(`{"id":70008,"name":"${"m".repeat(100_000)}"}`, 1);
  await leavesNothingBehind(async () => {
    const answers = Array.from({ length: 4 }, () => client.create({ headers: ["Transfer-Encoding: chunked"], body }));
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  }, 64 * MIB);
});

test("a client that never reads its answers is held back, and the others are not", async () => {
  const name = "r".repeat(900_000);
  expect((await client.create({ body: `{"id":70009,"name":"${name}"}` })).status).toBe(200);
  await leavesNothingBehind(async () => {
    const connections = await Promise.all(Array.from({ length: 20 }, open));
    for (const connection of connections) {
      connection.stopReading();
      await connection.send(rawRequest({ method: "GET", target: "/v1/plants/70009", headers: [client.authorization] }));
    }
    for (let i = 0; i < 20; i++) expect((await client.create({ body: '{"id":70010,"name":"n"}' })).status).toBe(200);
    for (const connection of connections) connection.abort();
  }, 64 * MIB);
});
