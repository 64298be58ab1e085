import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { expectRefusal, PLANT, RawClient } from "./support/raw-client.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { chunked, rawRequest } from "./support/raw-request.ts";

const client = await RawClient.start();
afterEach(() => client.expectServing());
afterAll(() => client.service.stop());

const MIB = 1024 * 1024;
const CHUNKED = "Transfer-Encoding: chunked";
let lastId = 100;

/** A plant whose JSON has exactly that many bytes, with two-byte characters as far as they fit. */
function plantOf(bytes: number): string {
  const start = `{"id":${++lastId},"name":"`;
  const left = bytes - start.length - 2;
  return `${start}${"é".repeat(left >> 1)}${"e".repeat(left & 1)}"}`;
}

describe("a body's size", () => {
  test("of exactly 1 MiB is taken, and comes back to the last character", async () => {
    for (const chunk of [undefined, 1000, MIB]) {
      const plant = plantOf(MIB);
      expect(Buffer.byteLength(plant)).toBe(MIB);
      const body = chunk ? chunked(plant, chunk) : plant;
      const answer = await client.create(chunk ? { headers: [CHUNKED], body } : { body });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body).name).toBe(JSON.parse(plant).name);
      expect(JSON.parse((await client.get(`/v1/plants/${lastId}`)).body).name).toBe(JSON.parse(plant).name);
    }
  });

  test("of 1 MiB and one byte is refused with 41301, and nothing is kept", async () => {
    for (const chunk of [undefined, 1000, MIB]) {
      const plant = plantOf(MIB + 1);
      const body = chunk ? chunked(plant, chunk) : plant;
      const answer = await client.create(chunk ? { headers: [CHUNKED], body } : { body });
      expectRefusal(answer, 41301);
      expect(await client.holds(lastId)).toBe(false);
    }
  });

  test("of none is refused as empty, with a length or without", async () => {
    for (const headers of [[], ["Content-Length: 0"]]) expectRefusal(await client.create({ headers, body: "" }), 40001);
    expectRefusal(await client.create({ headers: [CHUNKED], body: "0\r\n\r\n" }), 40001);
  });
});

describe("Expect: 100-continue", () => {
  test("is answered 100, and then as the request is", async () => {
    const connection = await RawConnection.open(client.service.url);
    const whole = rawRequest({ headers: [client.authorization, "Expect: 100-continue"], body: PLANT });
    await connection.send(whole.subarray(0, -PLANT.length));
    expect(await connection.answer()).toMatchObject({ status: 100 });
    await connection.send(PLANT);
    expect(await connection.answer()).toMatchObject({ status: 200, body: '{"name":"Ficus"}' });
    connection.close();
  });

  // The runtime sends 100 Continue before our code runs. The refusal follows at once.
  test("does not save a body that is too long, or a wrong token, from its refusal", async () => {
    for (const [headers, status] of [
      [[client.authorization, `Content-Length: ${10 * 1024 ** 3}`], 413],
      [["Content-Length: 5"], 401],
    ] as const) {
      const connection = await RawConnection.open(client.service.url);
      await connection.send(rawRequest({ headers: [...headers, "Expect: 100-continue"] }));
      expect(await connection.answer()).toMatchObject({ status: 100 });
      expect(await connection.answer()).toMatchObject({ status });
      connection.close();
    }
  });
});

describe("a body's bytes", () => {
  test.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate in UTF-8", [0xed, 0xa0, 0x80]],
    ["a character past U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["half a character", [0xe2, 0x82]],
    ["0xFF", [0xff]],
  ])("with %s are no UTF-8: 40001", async (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"id":9,"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expectRefusal(await client.create({ body }), 40001);
    expectRefusal(await client.create({ headers: [CHUNKED], body: chunked(body, 3) }), 40001);
    expect(await client.holds(9)).toBe(false);
  });

  test.each([
    ["a byte-order mark first", Buffer.from(`\ufeff${PLANT}`)],
    ["UTF-16", Buffer.from(PLANT, "utf16le")],
    ["a NUL at the end", Buffer.from(`${PLANT}\0`)],
    ["half of a plant", Buffer.from(PLANT.slice(0, -5))],
    ["two plants", Buffer.from(PLANT + PLANT)],
    ["nesting without end", Buffer.from("[".repeat(500_000))],
  ])("with %s are no JSON: 40001", async (_, body) => {
    expectRefusal(await client.create({ body }), 40001);
  });

  test("that cut a character between two chunks are put together", async () => {
    const plant = `{"id":${++lastId},"name":"👩‍🌾 Ficus élastica"}`;
    const answer = await client.create({ headers: [CHUNKED], body: chunked(plant, 1) });
    expect(answer).toMatchObject({ status: 200, body: '{"name":"👩‍🌾 Ficus élastica"}' });
  });

  test("that are compressed are refused with 41501, which says to send them plain", async () => {
    const headers = ["Content-Encoding: gzip"];
    // A body that is not what its header says is not guessed at.
    for (const body of [gzipSync(PLANT), PLANT]) {
      const answer = await client.create({ headers, body });
      expectRefusal(answer, 41501);
      expect(answer.headers.get("accept-encoding")).toBe("identity");
      expect(JSON.parse(answer.body).message).toContain("gzip");
    }
    const plain = `{"id":${++lastId},"name":"Ficus"}`;
    expect((await client.create({ headers: ["Content-Encoding: identity"], body: plain })).status).toBe(200);
  });
});

test("a Content-Type that is not JSON's is refused with 41501; it need not be given, and Accept is not looked at", async () => {
  for (const headers of [[], ["Content-Type: Application/JSON; charset=UTF-8"], ["Accept: text/html"]]) {
    const answer = await client.create({ headers });
    expect(answer).toMatchObject({ status: 200, body: '{"name":"Ficus"}' });
    expect(answer.headers.get("content-type")).toBe("application/json");
  }
  const refused = await client.create({ headers: ["Content-Type: text/plain"] });
  expectRefusal(refused, 41501);
  expect(JSON.parse(refused.body).message).toContain("application/json");
});
