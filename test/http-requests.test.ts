import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { expectRefusal, PLANT, RawClient } from "./support/raw-client.ts";
import { exchange, RawConnection } from "./support/raw-connection.ts";
import { rawRequest } from "./support/raw-request.ts";

const OTHER = '{"id":6,"name":"Ficus"}';

const client = await RawClient.start();
afterEach(() => client.expectServing());
afterAll(() => client.service.stop());

describe("a Host", () => {
  test.each([["Host: 127.0.0.1"], ["Host: [::1]:3000"], ["host: a_b.example"]])("%j is taken", async (line) => {
    expect((await client.create({ hosts: [line] })).status).toBe(200);
  });

  test.each([
    [["Host:"]],
    [["Host: a", "Host: b"]],
    [["Host: a", "Host: a"]],
    [["Host: a/v1/plants?"]],
    [["Host: \xfc"]],
  ])("%j is refused with 40004, and nothing is done", async (hosts) => {
    expectRefusal(await client.create({ hosts, body: OTHER }), 40004);
    expect(await client.holds(6)).toBe(false);
  });

  // The runtime refuses this itself, with an empty body.
  test("is required: without one the request is refused with 400", async () => {
    expect((await client.create({ hosts: [], body: OTHER })).status).toBe(400);
    expect(await client.holds(6)).toBe(false);
  });

  test("is not needed in HTTP/1.0: the service calls itself localhost then", async () => {
    expect(await client.create({ hosts: [], version: "HTTP/1.0" })).toMatchObject({ status: 200 });
    const first = { method: "GET", hosts: [], version: "HTTP/1.0" };
    expect((await client.answer({ ...first, target: "/readyz" })).status).toBe(200);
    const list = await client.answer({ ...first, target: "/v1/plants?limit=1", headers: [client.authorization] });
    expect(list).toMatchObject({ status: 200 });
    for (const target of ["/dashboard/api/session", "/auth/passkey/list-user-passkeys"]) {
      expect((await client.answer({ ...first, target })).status).toBe(401);
    }
  });

  test.each(["%", "256.1.1.1", "a:99999"])("%s is refused at every address", async (host) => {
    for (const target of ["/v1/plants", "/dashboard", "/dashboard/api/session", "/auth/sign-out", "/healthz"]) {
      const { status, body } = await client.answer({ method: "GET", target, hosts: [`Host: ${host}`] });
      expect([status, JSON.parse(body).error]).toEqual([400, 40004]);
    }
  });
});

describe("what is no HTTP/1.1", () => {
  // The runtime answers these itself, without a body and without the service's headers.
  test.each([
    ["HTTP/1.2", rawRequest({ version: "HTTP/1.2" }), 505],
    ["HTTP/2 by its version", rawRequest({ version: "HTTP/2.0" }), 505],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["HTTP/0.9", "GET /healthz\r\n\r\n", 505],
    ["lines that end without a carriage return", "GET /healthz HTTP/1.1\nHost: a\n\n", 505],
    ["a TLS hello", Buffer.from("16030100f1010000ed0303", "hex"), 400],
    ["bytes", Buffer.from([0, 1, 2, 3, 13, 10, 13, 10]), 400],
    ["empty lines first", `\r\n\r\n${rawRequest({ method: "GET", target: "/healthz" })}`, 400],
    ["a target with a space", rawRequest({ target: "/v1/plants x" }), 505],
    ["a target with a tab", rawRequest({ target: "/v1/\tplants" }), 505],
    ["a method with @", rawRequest({ method: "G@T" }), 400],
  ])("%s is refused", async (_, bytes, status) => {
    const [answer] = await exchange(client.service.url, bytes);
    expect(answer).toMatchObject({ status });
  });

  test("HTTP/1.0 is answered, and the connection closed", async () => {
    const answers = await exchange(
      client.service.url,
      rawRequest({ method: "GET", target: "/healthz", version: "HTTP/1.0" }),
      2,
    );
    expect(answers).toMatchObject([{ status: 200 }]);
  });

  test("an upgrade is not made: the request is answered as it is", async () => {
    const upgrade = [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: eA==",
      "Sec-WebSocket-Version: 13",
    ];
    expect(await client.answer({ method: "GET", target: "/healthz", headers: upgrade })).toMatchObject({ status: 200 });
    expect(await client.create({ headers: ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"] })).toMatchObject({
      status: 200,
    });
  });
});

describe("a header", () => {
  test.each([
    ["folded over two lines", "X-A: b\r\n c", 400],
    ["with a NUL in its value", "X-A: b\0c", 400],
    ["with a NUL in its name", "X\0A: b", 400],
    ["with a space before its colon", "X-A : b", 400],
    ["without a colon", "X-A", 400],
    ["without a name", ": b", 400],
    ["with a bare carriage return", "X-A: b\rc", 400],
    ["of 20 kB", `X-A: ${"a".repeat(20_000)}`, 431],
    ["of 1 MB", `X-A: ${"a".repeat(1_000_000)}`, 431],
    ["among 300", Array.from({ length: 300 }, (_, at) => `X-${at}: b`).join("\r\n"), 431],
  ])("%s is refused, and nothing is done", async (_, line, status) => {
    expect((await client.create({ headers: [line], body: OTHER })).status).toBe(status);
    expect(await client.holds(6)).toBe(false);
  });

  test("with any other byte is taken", async () => {
    expect((await client.create({ headers: ["X-A: \xff\x80\t~", "X-Empty:"] })).status).toBe(200);
  });

  test("a target of 20 kB is refused with 431", async () => {
    expect((await client.create({ target: `/v1/plants?${"a".repeat(20_000)}` })).status).toBe(431);
  });
});

describe("on one connection", () => {
  // The runtime ends a connection on which a request comes before the one ahead of it is answered; RFC 9112, 9.3.2
  // wants a client that pipelines to be ready for that, and a create may be sent again.
  test("requests sent before the one ahead is answered are done whole or not at all, and can be sent again", async () => {
    const ids = Array.from({ length: 20 }, (_, at) => 1000 + at);
    const requests = ids.map((id) =>
      rawRequest({ headers: [client.authorization], body: `{"id":${id},"name":"n${id}"}` }),
    );
    const answers = await exchange(client.service.url, Buffer.concat(requests), ids.length);
    for (const [at, answer] of answers.entries())
      expect(answer).toMatchObject({ status: 200, body: `{"name":"n${ids[at]}"}` });
    for (const id of ids) expect((await client.create({ body: `{"id":${id},"name":"n${id}"}` })).status).toBe(200);
  });

  test("requests sent one after another are answered in their order", async () => {
    const connection = await RawConnection.open(client.service.url);
    for (let id = 2000; id < 2050; id++) {
      await connection.send(rawRequest({ headers: [client.authorization], body: `{"id":${id},"name":"n${id}"}` }));
      expect(await connection.answer()).toMatchObject({ status: 200, body: `{"name":"n${id}"}` });
    }
    connection.close();
  });

  test("a body that is refused unread is never taken for the next request", async () => {
    const hidden = rawRequest({ headers: [client.authorization], body: OTHER });
    for (const headers of [[], ["Authorization: Bearer x"], [client.authorization, "Content-Type: text/plain"]]) {
      const next = rawRequest({ method: "GET", target: "/healthz", headers: ["Connection: close"] });
      const bytes = Buffer.concat([rawRequest({ headers, body: hidden }), next]);
      const answers = await exchange(client.service.url, bytes, 3);
      expect(answers.map(({ status }) => status)).toEqual([headers.length > 1 ? 415 : 401, 200]);
      expect(await client.holds(6)).toBe(false);
    }
  });

  test("what follows a refusal that closes is not carried out", async () => {
    const refused = rawRequest({ headers: [client.authorization, "Content-Length: 10737418240"] });
    const hidden = rawRequest({ headers: [client.authorization], body: OTHER });
    const answers = await exchange(client.service.url, Buffer.concat([refused, hidden, hidden]), 3);
    expect(answers.map(({ status }) => status)).toEqual([413]);
    expect(await client.holds(6)).toBe(false);
  });

  test("requests that arrive byte by byte are answered", async () => {
    const connection = await RawConnection.open(client.service.url);
    for (const byte of rawRequest({ headers: [client.authorization], body: PLANT }))
      await connection.send(Uint8Array.of(byte));
    expect(await connection.answer()).toMatchObject({ status: 200 });
    connection.close();
  });
});
