import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { operator } from "#core/caller.ts";
import { REFUSED_BODIES, REFUSED_BODIES_LATE } from "#http/late-answers.ts";
import { asOperator } from "#server/operator/operator.ts";
import { eventually } from "./support/eventually.ts";
import { residentBytes } from "./support/process.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { type RawRequest, rawRequest } from "./support/raw-request.ts";
import { startService } from "./support/service.ts";

const MIB = 1024 * 1024;
/** Refused senders that keep their connection however many there are. */
const ANSWERED_MIN = REFUSED_BODIES.max + REFUSED_BODIES_LATE.all;

const service = await startService();
afterAll(() => service.stop());

async function opened(token: string, request: RawRequest): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  await connection.send(
    rawRequest({ ...request, headers: [`Authorization: Bearer ${token}`, ...(request.headers ?? [])] }),
  );
  return connection;
}

function lines(from: number, count: number): string {
  return Array.from({ length: count }, (_, at) => `{"id":${from + at},"name":"Fern"}\n`).join("");
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

async function holds(token: string, id: number): Promise<boolean> {
  return (await service.send("GET", `/v1/plants/${id}`, { as: token })).ok;
}

async function tokenId(secret: string): Promise<{ id: string; account: number }> {
  return asOperator(async ({ reads }) => {
    for (const { number } of await reads.stores.list()) {
      const found = (await reads.tokens.list(number)).find(({ hint }) => secret.endsWith(hint.slice(-4)));
      if (found) return { id: found.id, account: number };
    }
    throw new Error("There is no such token");
  }, service.environment);
}

describe("a token that is revoked while a body is under way", () => {
  /** Milliseconds from the end of a token to the end of the import that it began. */
  async function endedAfterMs(): Promise<number> {
    const token = await service.token();
    const other = await service.token();
    const importing = await opened(token, {
      headers: ["Content-Type: application/x-ndjson", "Transfer-Encoding: chunked"],
    });
    await importing.send(chunk(lines(1, 100)));
    let sent = 100;
    await eventually("the first window is on disk", async () => {
      await importing.send(chunk(lines(++sent, 1)));
      return holds(token, 100);
    });
    const { id } = await tokenId(token);
    const revokedAt = performance.now();
    await asOperator(({ records }) => records.tokens.revokeAny(id, operator("test")), service.environment);
    const answer = await importing.answer();
    const endedAfterMs = performance.now() - revokedAt;
    expect(answer?.status).toBe(401);
    expect(JSON.parse(answer?.body ?? "{}")).toEqual({
      error: 40102,
      message: expect.stringMatching(/revoked.*everything up to line \d{3,} is on disk/),
    });
    expect(answer?.headers.get("www-authenticate")).toContain("invalid_token");
    importing.close();
    expect(await holds(other, 1)).toBe(false);
    return endedAfterMs;
  }

  test("ends a bulk create within a second with 401, which names the line up to which all is on disk", async () => {
    // A busy machine only ever adds time, so the fastest of several counts.
    const times = [await endedAfterMs()];
    while (times.length < 10 && Math.min(...times) >= 1500) times.push(await endedAfterMs());
    expect(Math.min(...times)).toBeLessThan(1500);
  });

  test("refuses a single create whose body came late, and keeps nothing of it", async () => {
    const token = await service.token();
    const body = '{"id":7,"name":"Fern"}';
    const creating = await opened(token, { headers: [`Content-Length: ${body.length}`] });
    await creating.send(body.slice(0, 5));
    const { id, account } = await tokenId(token);
    await asOperator(({ records }) => records.tokens.revokeAny(id, operator("test")), service.environment);
    const read = () => service.send("GET", "/v1/plants/7", { as: token });
    await eventually("the token is refused", async () => (await read()).status === 401);
    await creating.send(body.slice(5));
    expect((await creating.answer())?.status).toBe(401);
    creating.close();
    const kept = await asOperator(({ records }) => records.plants.find(account, 7n), service.environment);
    expect(kept).toBeUndefined();
  });

  test("refuses what is asked for by a form that came late", async () => {
    const token = await service.token();
    const asking = await opened(token, { target: "/v1/events/test", headers: ["Content-Length: 2"] });
    await asking.send("{");
    const { id } = await tokenId(token);
    await asOperator(({ records }) => records.tokens.revokeAny(id, operator("test")), service.environment);
    const read = () => service.send("GET", "/v1/plants/7", { as: token });
    await eventually("the token is refused", async () => (await read()).status === 401);
    await asking.send("}");
    expect((await asking.answer())?.status).toBe(401);
    asking.close();
  });
});

test("an import ends within a second of its account's removal, and leaves no plant behind", async () => {
  const token = await service.token();
  const { account } = await tokenId(token);
  const headers = ["Content-Type: application/x-ndjson", "Transfer-Encoding: chunked"];
  const importing = await opened(token, { headers });
  let sent = 0;
  await eventually("the first window is on disk", async () => {
    await importing.send(chunk(lines(++sent, 1)));
    return holds(token, 1);
  });
  await asOperator(({ records }) => records.stores.remove(account, operator("test")), service.environment);
  const sending = setInterval(() => void importing.send(chunk(lines(100_000, 5))), 50);
  expect((await importing.answer())?.status).toBe(401);
  clearInterval(sending);
  importing.close();
  await eventually("nothing is left of the account", () =>
    asOperator(async ({ records }) => (await records.plants.find(account, 1n)) === undefined, service.environment),
  );
});

describe("memory", () => {
  test("500 stalled sign-in bodies take none, since a form has at most 16 KiB", async () => {
    const before = residentMb();
    const connections = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const connection = await RawConnection.open(service.url);
        const head = ["Content-Type: application/json", `Content-Length: ${MIB}`];
        await connection.send(rawRequest({ target: "/auth/sign-in/email", headers: head }));
        void connection.send(Buffer.alloc(MIB - 1, 97));
        return connection;
      }),
    );
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    // A sender that is refused past the limit of late refusals may lose its answer.
    expect(new Set(answers.map((answer) => answer?.status ?? 413))).toEqual(new Set([413]));
    expect(answers.filter((answer) => answer).length).toBeGreaterThanOrEqual(ANSWERED_MIN);
    await eventually("they take no memory", () => residentMb() - before < 150);
    for (const connection of connections) connection.close();
  });

  test("500 unfinished bulk records of one account take a bounded part, and another account is served", async () => {
    const [token, other] = [await service.token(), await service.token()];
    const before = residentMb();
    const connections = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const head = ["Content-Type: application/x-ndjson", `Content-Length: ${2 * MIB}`];
        const connection = await opened(token, { headers: head });
        void connection.send(Buffer.alloc(MIB - 1, 97));
        return connection;
      }),
    );
    let mostMb = 0;
    await eventually("no more of them is taken", async () => {
      const knownMb = mostMb;
      await Bun.sleep(500);
      mostMb = Math.max(mostMb, residentMb());
      return mostMb === knownMb;
    });
    expect(mostMb - before).toBeLessThan(250);
    const body = { id: 1, name: "Fern" };
    expect((await service.send("POST", "/v1/plants", { as: other, body })).status).toBe(200);
    for (const connection of connections) connection.close();
  });
});

/** As Python's http.client does it: the head, then the whole body, and only then a look at the answer. */
test.each([
  ["1.1 MB", 1_100_000],
  ["5 MB", 5_000_000],
])("a client that sends %s before it reads gets the 413, each of 20 times", async (_, size) => {
  for (const close of [false, true]) {
    const token = await service.token();
    // A body whose connection is to close is read for two seconds, and all of them at 128 MiB in a second.
    for (let round = 0; round < 5; round++) {
      const statuses = await Promise.all(Array.from({ length: 4 }, () => statusAfterSending(token, size, close)));
      expect(statuses).toEqual([413, 413, 413, 413]);
    }
  }
});

function statusAfterSending(token: string, size: number, close: boolean): Promise<number> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received = "";
    socket.pause();
    socket.on("error", () => resolve(-1));
    const headers = [
      `Authorization: Bearer ${token}`,
      `Content-Length: ${size}`,
      ...(close ? ["Connection: close"] : []),
    ];
    socket.write(rawRequest({ headers }));
    socket.write(Buffer.alloc(size, 97), () => {
      socket.on("data", (data: Buffer) => {
        received += data.toString("latin1");
        if (received.includes("\r\n\r\n")) {
          resolve(Number(received.split(" ")[1]));
          socket.destroy();
        }
      });
      socket.on("close", () => resolve(Number(received.split(" ")[1] ?? -2)));
      socket.resume();
    });
  });
}

const residentMb = () => residentBytes(service.process.pid) / MIB;
