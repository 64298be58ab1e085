import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { readRpcBody } from "#contract/mcp-body.ts";
import { tooManyAtOnce } from "#core/failure.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import { SERVER } from "#test/support/request-context.ts";
import { createApp } from "./app.ts";
import { mcpMount } from "./mcp-mount.ts";

let app: OpenApp;
let token: string;
withAppPerFile(
  async (opened, holder) => {
    app = opened;
    token = await app.token(holder);
    // The second that a rate is counted in does not end while a test runs.
    setSystemTime(Date.now());
  },
  { MCP: "on", RATE_LIMIT: "3" },
);
afterEach(() => void setSystemTime());

function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return app.send("/mcp", {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": "2025-06-18",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const call = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const read = async (_: number, text: string) => readRpcBody(text);
/** The answer of an app whose calls are answered so. */
function answerBy(
  calls: Parameters<typeof mcpMount>[0],
  body: BodyInit,
  more: Record<string, string> = {},
  log = app.service.log,
): Promise<Response> {
  const { fetch } = createApp({ ...app.service, log, mounts: [mcpMount(calls)] });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...more };
  return fetch(new Request("http://127.0.0.1:3000/mcp", { method: "POST", headers, body }), SERVER);
}

test.each(["/mcp/", "/mcp/tools", "/mcp//"])("%s is unknown, with and without a token", async (path) => {
  await expectRefused(await app.send(path, { method: "POST", body: "{}" }), 40401);
  const headers = { Authorization: `Bearer ${token}` };
  await expectRefused(await app.send(path, { method: "POST", body: "{}", headers }), 40401);
});

test("OPTIONS is answered without a token, and allows no other origin", async () => {
  const answer = await app.send("/mcp", { method: "OPTIONS", headers: { Origin: "https://evil.example" } });
  expect([answer.status, answer.headers.get("Access-Control-Allow-Origin")]).toEqual([204, null]);
});

test("the order of refusals is origin, token, rate, type, body", async () => {
  const evil = { Origin: "https://evil.example" };
  await expectRefused(await post("{", { ...evil, Authorization: "" }), 40302);
  await expectRefused(await post("{", { Authorization: "" }), 40101);
  await expectRefused(await post("{", { "Content-Type": "text/plain" }), 41501);
  await expectRefused(await post("{"), 40001);
  await expectRefused(await post("{}"), 40002);
  await expectRefused(await post("{", { "Content-Type": "text/plain" }), 42901);
});

test("a call beyond those that may wait is refused, a large body unread, a small one by its id; the next is answered", async () => {
  let isFull = true;
  const requireRoom = () => {
    if (isFull) throw tooManyAtOnce("calls of tools", 66, { retryAfterS: 1 });
  };
  const answer = async () => {
    requireRoom();
    return { response: Response.json({}), requests: 1 };
  };
  const calls = { requireRoom, read, answer };
  const endless = new ReadableStream({ pull: () => new Promise(() => {}) });
  const refused = await answerBy(calls, endless);
  expect(refused.headers.get("Retry-After")).toBe("1");
  await expectRefused(refused, 42901);
  const small = JSON.stringify(call("tools/call"));
  const named = await answerBy(calls, small, { "Content-Length": String(small.length) });
  expect([named.status, named.headers.get("Retry-After")]).toEqual([429, "1"]);
  const message = expect.stringMatching(/^42901: This account has 66 calls of tools under way/);
  expect(await named.json()).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32000, message } });
  isFull = false;
  expect((await answerBy(calls, small)).status).toBe(200);
});

describe("an answer", () => {
  test("to a call that failed is an error of JSON-RPC with the request's id and nothing else, and the log has the rest", async () => {
    const logged: unknown[] = [];
    const log = { ...app.service.log, error: (fields: object) => void logged.push(fields) };
    const answers = [
      () => Promise.reject(new Error("disk")),
      async () => ({ response: new Response("disk", { status: 500 }), requests: 0 }),
      async () => ({ response: Response.json({}), requests: 1, fault: new Error("disk") }),
    ];
    for (const [at, answer] of answers.entries()) {
      const answered = await answerBy({ requireRoom() {}, read, answer }, JSON.stringify(call("tools/call")), {}, log);
      const id = answered.headers.get("Request-Id");
      const error = { code: -32603, message: `The service failed; quote the request id ${id} when you report it` };
      expect(await answered.json()).toEqual(at < 2 ? { jsonrpc: "2.0", id: 1, error } : {});
      expect(answered.status).toBe(at < 2 ? 500 : 200);
      expect(logged[at]).toMatchObject({ request_id: id, err: new Error("disk") });
    }
  });

  test("to a notification has no body", async () => {
    const answer = await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
  });

  test("has its version and its request's id, and is guessed as no other type", async () => {
    const { headers } = await post(call("ping"));
    expect(headers.get("Plantstore-Version")).toBe("1.0.0");
    expect(headers.get("Request-Id")).toMatch(/^req_/);
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  });
});

test("a subscription is refused as unknown, since it would be a request without an end, and none is offered", async () => {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "tests", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const ask = (method: string, params: object = {}) =>
    post(call(method, { ...params, _meta }), { "MCP-Protocol-Version": version, "Mcp-Method": method });
  const listen = await ask("subscriptions/listen", { notifications: { toolsListChanged: true } });
  expect([listen.status, await listen.json()]).toMatchObject([404, { id: 1, error: { code: -32601 } }]);
  const { result } = await (await ask("server/discover")).json();
  expect(result.capabilities).toEqual({ tools: { listChanged: false } });
});
