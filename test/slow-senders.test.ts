import { afterAll, expect, test } from "bun:test";
import { RawClient } from "./support/raw-client.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { rawRequest } from "./support/raw-request.ts";

/** The runtime's own limits, which no test can shorten. These tests wait at the same time. */
const RUNTIME_LIMIT_MS = 10_000;
const IMPORT_PAUSE_MS = 16_000;

const client = await RawClient.start();
afterAll(() => client.service.stop());

test.concurrent("a body that comes steadily for longer than the runtime waits by default is taken", async () => {
  const body = `{"id":70007,"name":"${"s".repeat(65_000)}"}`;
  const connection = await RawConnection.open(client.service.url);
  await connection.send(rawRequest({ headers: [client.authorization, `Content-Length: ${body.length}`] }));
  const parts = 50;
  for (let part = 0; part < parts; part++) {
    const size = Math.ceil(body.length / parts);
    await connection.send(body.slice(part * size, (part + 1) * size));
    await Bun.sleep((1.2 * RUNTIME_LIMIT_MS) / parts);
  }
  expect((await connection.answer())?.status).toBe(200);
  connection.close();
  expect(JSON.parse((await client.get("/v1/plants/70007")).body).name).toHaveLength(65_000);
});

test.concurrent("the sender of an import may pause for longer than other requests may", async () => {
  const connection = await RawConnection.open(client.service.url);
  const headers = [client.authorization, "Content-Type: application/x-ndjson", "Transfer-Encoding: chunked"];
  await connection.send(rawRequest({ headers }));
  for (const id of [80_001, 80_002]) {
    const line = `{"id":${id},"name":"Plant"}\n`;
    await connection.send(`${line.length.toString(16)}\r\n${line}\r\n`);
    if (id === 80_001) await Bun.sleep(IMPORT_PAUSE_MS);
  }
  await connection.send("0\r\n\r\n");
  const answer = await connection.answer();
  expect(JSON.parse(answer?.body ?? "{}")).toMatchObject({ created: 2 });
  connection.close();
});
