import { afterAll, describe, expect, test } from "bun:test";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { BATCH, BATCH_ANSWERS } from "./support/mcp-batch.ts";
import { startService, temporaryFolder } from "./support/service.ts";

const service = await startService({ settings: { MCP: "on" } });
afterAll(() => service.stop());
const INFO = { name: "tests", version: "1.0.0" };

describe("POST /mcp", () => {
  const INITIALIZE = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: INFO },
  };

  async function post(headers: Record<string, string>, body: unknown = INITIALIZE) {
    const all = { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await fetch(`${service.url}/mcp`, { method: "POST", headers: all, body: text });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  }

  test("without a token, or with a wrong one, is 401 as everywhere", async () => {
    const none = await post({});
    expect([none.status, none.body.error]).toEqual([401, 40101]);
    expect(none.headers.get("WWW-Authenticate")).toStartWith("Bearer");
    const wrong = await post({ Authorization: "Bearer plant_wrong" });
    expect([wrong.status, wrong.body.error]).toEqual([401, 40102]);
  });

  test("from a page of another origin is refused, and no page of one may read an answer", async () => {
    const Authorization = `Bearer ${await service.token()}`;
    const refused = await post({ Authorization, Origin: "https://evil.example" });
    expect([refused.status, refused.body]).toEqual([403, { error: 40302, message: expect.any(String) }]);
    const answer = await post({ Authorization, Origin: service.url });
    expect(answer.status).toBe(200);
    expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });

  test("takes 1 MiB of JSON at most, and no other type; GET is 405", async () => {
    const Authorization = `Bearer ${await service.token()}`;
    expect((await post({ Authorization }, " ".repeat(1024 * 1024 + 1))).body.error).toBe(41301);
    expect((await post({ Authorization, "Content-Type": "text/plain" })).body.error).toBe(41501);
    expect((await post({ Authorization }, "{")).body.error).toBe(40001);
    const read = await fetch(`${service.url}/mcp`, { headers: { Authorization } });
    expect([read.status, read.headers.get("Allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  const call = (name: string, input: unknown) => ({
    jsonrpc: "2.0",
    id: "a",
    method: "tools/call",
    params: { name, arguments: input },
  });

  test.each([["{}"], ['{"jsonrpc":"1.0","id":1,"method":"ping"}'], ["5"]])(
    "refuses %s, which is no message of JSON-RPC, in the Error shape",
    async (message) => {
      const { status, body } = await post({ Authorization: `Bearer ${await service.token()}` }, message);
      expect([status, body]).toEqual([400, { error: 40002, message: expect.any(String) }]);
    },
  );

  test.each([
    ["a version that there is not", 400, -32000, { "MCP-Protocol-Version": "1999-01-01" }, call("get_plant", {}), "a"],
    ["a message without a method", 400, -32600, {}, { jsonrpc: "2.0", id: 1 }, 1],
    ["a message whose id is no integer", 400, -32600, {}, { ...INITIALIZE, id: 1.5 }, null],
    ["a batch of a version without", 400, -32600, { "MCP-Protocol-Version": "2025-06-18" }, [INITIALIZE], null],
    ["an empty batch", 400, -32600, {}, [], null],
    ["a batch of 51", 400, -32600, {}, Array(51).fill(call("get_plant", { id: "1" })), null],
    ["initialize without params", 200, -32602, {}, { ...INITIALIZE, params: undefined }, 1],
    ["params of another type", 200, -32602, {}, { ...INITIALIZE, method: "tools/list", params: { cursor: 5 } }, 1],
    ["a tool without a name", 200, -32602, {}, { ...INITIALIZE, method: "tools/call" }, 1],
    ["a method that there is not", 200, -32601, {}, { ...INITIALIZE, method: "no/such" }, 1],
  ])(
    "refuses %s by an error of JSON-RPC",
    async (_, httpStatus, code, headers: Record<string, string>, message: unknown, id) => {
      const { status, body } = await post({ Authorization: `Bearer ${await service.token()}`, ...headers }, message);
      expect([status, body]).toEqual([
        httpStatus,
        { jsonrpc: "2.0", id, error: { code, message: expect.any(String) } },
      ]);
    },
  );

  test.each([["application/json"], ["*/*"], ["text/html"]])(
    "answers in JSON whatever Accept says, as a create does: %s",
    async (Accept) => {
      const { status, headers, body } = await post({ Authorization: `Bearer ${await service.token()}`, Accept });
      expect([status, headers.get("Content-Type"), body.id]).toEqual([200, "application/json", 1]);
    },
  );

  test("takes a body without a Content-Type for JSON, as a create does", async () => {
    const headers = { Authorization: `Bearer ${await service.token()}` };
    const body = new TextEncoder().encode(JSON.stringify(INITIALIZE));
    const answer = await fetch(`${service.url}/mcp`, { method: "POST", headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: 1 }]);
  });

  test("refuses a tool that there is not, and repeats none of a name of 100 kB", async () => {
    const { body } = await post({ Authorization: `Bearer ${await service.token()}` }, call("x".repeat(100_000), {}));
    expect(body).toMatchObject({ id: "a", error: { code: -32602 } });
    expect(JSON.stringify(body).length).toBeLessThan(300);
  });

  test.each(SUPPORTED_PROTOCOL_VERSIONS)(
    "speaks version %s with a client that asks for it",
    async (protocolVersion) => {
      const initialize = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } };
      const { body } = await post({ Authorization: `Bearer ${await service.token()}` }, initialize);
      expect(body.result.protocolVersion).toBe(protocolVersion);
      expect(body.result.instructions).toContain("as a string with all its digits");
    },
  );

  test.each([[{}], [{ "MCP-Protocol-Version": "2025-03-26" }]])(
    "answers each message of a batch by itself and in order, with %j",
    async (headers: Record<string, string>) => {
      const batch = [...BATCH, ...Array(50 - BATCH.length).fill({ jsonrpc: "2.0", id: "p", method: "ping" })];
      const { status, body } = await post({ Authorization: `Bearer ${await service.token()}`, ...headers }, batch);
      expect(status).toBe(200);
      expect(body).toMatchObject([...BATCH_ANSWERS, ...Array(50 - BATCH.length).fill({ id: "p", result: {} })]);
      expect(body).toHaveLength(49);
    },
  );

  test("has no answer to a batch of nothing but notifications", async () => {
    const headers = { Accept: "application/json, text/event-stream" };
    const body = Array(2).fill({ jsonrpc: "2.0", method: "notifications/initialized" });
    const answer = await service.send("POST", "/mcp", { as: await service.token(), headers, body });
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
  });

  test("without BASE_URL is served on a loopback address under loopback names alone", async () => {
    const Authorization = `Bearer ${await service.token()}`;
    const { port } = new URL(service.url);
    for (const name of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.0.2.1"]) {
      const named = { Authorization, Host: `${name}:${port}`, Origin: `http://${name}:${port}` };
      expect((await post(named)).body).toEqual({ error: 40302, message: expect.stringContaining("BASE_URL") });
    }
    for (const name of ["localhost", "plants.localhost", "127.0.0.1", "[::1]"]) {
      const named = { Authorization, Host: `${name}:${port}`, Origin: `http://${name}:${port}` };
      expect((await post(named)).status).toBe(200);
    }
  });

  test("is named in /llms.txt", async () => {
    const text = await (await fetch(`${service.url}/llms.txt`)).text();
    for (const path of ["/mcp", "/openapi.json", "/docs"]) expect(text).toContain(`(${service.url}${path})`);
  });
});

test("without MCP=on there is no such address, and /llms.txt names none", async () => {
  const plain = await startService({ folder: temporaryFolder() });
  try {
    const answer = await fetch(`${plain.url}/mcp`, { method: "POST", body: "{}" });
    expect((await answer.json()).error).toBe(40401);
    expect(await (await fetch(`${plain.url}/llms.txt`)).text()).not.toContain("/mcp");
  } finally {
    await plain.stop();
  }
});
