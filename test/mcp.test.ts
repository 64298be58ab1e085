import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import type { Scope } from "#core/token.ts";
import { outcomeOf } from "./support/process.ts";
import { COMMAND, ROOT, startService, temporaryFolder } from "./support/service.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";

const BEYOND = "9007199254740993";
const [LOWEST, HIGHEST] = ["-9223372036854775808", "9223372036854775807"];
const READING = ["get_plant", "list_plants", "plant_history", "recent_events"];
const WRITING = ["add_plant", "edit_plant", "import_plants", "remove_plant", "remove_plants"];

const service = await startService({ settings: { MCP: "on" } });
afterAll(() => service.stop());

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** The part of a client of either generation that the tests need. */
interface Agent extends AsyncDisposable {
  tools(): Promise<{ name: string; annotations?: object; inputSchema: object }[]>;
  call(name: string, input: object): Promise<Answer>;
}

/** The generation of 2025 says `initialize`; that of 2026 asks the server what it speaks, and takes no other here. */
const MODES = { old: "legacy", new: { pin: "2026-07-28" } } as const;
const INFO = { name: "tests", version: "1.0.0" };

const BATCH = [
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add_plant", arguments: { id: "5", name: "Fern" } } },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: "two", method: "tools/call", params: { name: "get_plant", arguments: { id: "5" } } },
  { jsonrpc: "2.0", id: 3, method: "no/such" },
  { jsonrpc: "2.0", id: 4.5, method: "ping" },
  { jsonrpc: "2.0", id: 5, method: "initialize", params: {} },
  6,
];
const BATCH_ANSWERS = [
  { id: 1, result: { structuredContent: { outcome: "created" } } },
  { id: "two", result: { structuredContent: { id: "5", name: "Fern" } } },
  { id: 3, error: { code: -32601 } },
  { id: null, error: { code: -32600 } },
  { id: 5, error: { code: -32600 } },
  { id: null, error: { code: -32600 } },
];

/** A client of either generation of the protocol, over either transport. */
async function agent(generation: "old" | "new", transport: "http" | "stdio", token: string): Promise<Agent> {
  const url = new URL(`${service.url}/mcp`);
  const http = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
  const env = { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: token };
  const stdio = { command: COMMAND, args: ["mcp"], env, stderr: "inherit" as const };
  const client = new Client(INFO, { versionNegotiation: { mode: MODES[generation] } });
  await client.connect(
    transport === "http" ? new StreamableHTTPClientTransport(url, http) : new StdioClientTransport(stdio),
  );
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, input) => (await client.callTool({ name, arguments: { ...input } })) as Answer,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function tokenFor(...scopes: Scope[]): Promise<string> {
  return service.token(scopes.length === 0 ? {} : { scopes });
}

const CLIENTS = [
  ["old", "http"],
  ["old", "stdio"],
  ["new", "http"],
  ["new", "stdio"],
] as const;

describe.each(CLIENTS)("a client of the %s generation over %s", (generation, transport) => {
  test("adds, reads, lists, changes and removes plants, their ids exact to the last digit", async () => {
    await using client = await agent(generation, transport, await tokenFor());
    for (const id of [BEYOND, LOWEST, HIGHEST]) {
      const added = await client.call("add_plant", { id, name: "Monstera", tag: "indoor" });
      expect(added.structuredContent).toEqual({ id, outcome: "created" });
      const read = await client.call("get_plant", { id });
      expect(read.structuredContent).toMatchObject({ id, name: "Monstera", tag: "indoor" });
      expect(JSON.parse(read.content[0]?.text ?? "")).toEqual(read.structuredContent);
    }
    const listed = await client.call("list_plants", { q: "monst", limit: 2 });
    expect(listed.structuredContent).toMatchObject({ plants: [{ id: LOWEST }, { id: BEYOND }] });
    const { next_cursor: cursor } = listed.structuredContent ?? {};
    const rest = await client.call("list_plants", { q: "monst", limit: 2, cursor });
    expect(rest.structuredContent).toMatchObject({ plants: [{ id: HIGHEST }], next_cursor: null });
    const edited = await client.call("edit_plant", { id: BEYOND, name: "Swiss cheese plant", tag: null });
    expect(edited.structuredContent).toMatchObject({ id: BEYOND, plant: { name: "Swiss cheese plant", tag: null } });
    expect((await client.call("remove_plant", { id: BEYOND })).structuredContent).toEqual({
      id: BEYOND,
      removed: true,
    });
    const gone = await client.call("get_plant", { id: BEYOND });
    expect([gone.isError, gone.content[0]?.text]).toEqual([true, expect.stringMatching(/^40403: /)]);
  });

  test("writes and reads names with line separators that end no line of JSON", async () => {
    await using client = await agent(generation, transport, await tokenFor());
    const name = "Fern\u2028data: {}\u2029\u0085";
    await client.call("add_plant", { id: "1", name });
    expect((await client.call("get_plant", { id: "1" })).structuredContent).toMatchObject({ id: "1", name });
  });
});

describe.each([
  ["old", "stdio"],
  ["new", "http"],
] as const)("a client of the %s generation over %s", (generation, transport) => {
  test("imports plants and reads what happened to them", async () => {
    await using client = await agent(generation, transport, await tokenFor());
    const plants = [
      { id: "1", name: "Aloe" },
      { id: BEYOND, name: "Fern" },
      { id: "1", name: "Ivy" },
    ];
    const imported = await client.call("import_plants", { plants });
    expect(imported.structuredContent).toMatchObject({
      created: 2,
      failed: 1,
      refused: [{ id: "1", error: 40901 }],
    });
    const { structuredContent } = await client.call("recent_events", {});
    expect(structuredContent).toMatchObject({
      events: [
        { type: "plant.created", plant_id: "1" },
        { type: "plant.created", plant_id: BEYOND, plant: { id: BEYOND } },
      ],
      has_more: false,
    });
  });

  test("is shown the tools that its token's scopes allow, each with its hints", async () => {
    await using reader = await agent(generation, transport, await tokenFor("plants:read"));
    expect((await reader.tools()).map(({ name }) => name).sort()).toEqual(READING);
    const write = await reader.call("add_plant", { id: "1", name: "Aloe" }).catch((error) => error);
    expect(write instanceof Error || write.isError).toBe(true);
    await using writer = await agent(generation, transport, await tokenFor("plants:write"));
    expect((await writer.tools()).map(({ name }) => name).sort()).toEqual(WRITING);
    await using both = await agent(generation, transport, await tokenFor());
    expect((await both.tools()).length).toBe(READING.length + WRITING.length);
    expect((await writer.call("add_plant", { id: "7", name: "Aloe" })).isError).toBeFalsy();
    expect((await writer.call("edit_plant", { id: "7", name: "Fern" })).structuredContent).toEqual({
      id: "7",
      plant: null,
    });
    const hints = (await writer.tools()).find(({ name }) => name === "remove_plant")?.annotations;
    expect(hints).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: false });
  });

  test("is refused an id as a number that may have been rounded, in a sentence; a safe integer is taken", async () => {
    await using client = await agent(generation, transport, await tokenFor());
    const rounded = await client.call("add_plant", { id: 9007199254740992, name: "Aloe" }).catch((error) => error);
    const text = rounded instanceof Error ? rounded.message : rounded.content[0]?.text;
    expect(text).toContain("An id must be a string with all its digits");
    const { structuredContent } = await client.call("add_plant", { id: 42, name: "Aloe" });
    expect(structuredContent).toEqual({ id: "42", outcome: "created" });
    const [tool] = (await client.tools()).filter(({ name }) => name === "get_plant");
    expect(tool?.inputSchema).toMatchObject({ properties: { id: { type: "string", pattern: expect.any(String) } } });
  });
});

test("an answer has at most 20 kB of JSON in bytes, and its cursor goes on where it ends", async () => {
  await using client = await agent("new", "http", await tokenFor());
  const texts = ["x".repeat(1000), "é".repeat(1000), "\u0001".repeat(1000), "永".repeat(5000), "\u0001".repeat(5000)];
  const plants = Array.from({ length: 60 }, (_, number) => {
    const text = texts[number % texts.length] ?? "";
    return { id: String(number), name: text, tag: text };
  });
  for (let at = 0; at < 60; at += 10) await client.call("import_plants", { plants: plants.slice(at, at + 10) });
  await client.call("edit_plant", { id: "4", name: "y".repeat(100_000), tag: "\u0002".repeat(5000) });
  const read = async (tool: string, ids: (content: Record<string, unknown>) => string[]) => {
    const seen: string[] = [];
    for (let cursor: unknown; ; ) {
      const { content, structuredContent = {} } = await client.call(tool, {
        limit: 100,
        ...(cursor ? { cursor } : {}),
      });
      expect(Buffer.byteLength(content[0]?.text ?? "")).toBeLessThanOrEqual(20_000);
      seen.push(...ids(structuredContent));
      cursor = structuredContent.next_cursor;
      if (cursor === null || structuredContent.has_more === false) return seen;
    }
  };
  const all = Array.from({ length: 60 }, (_, number) => String(number));
  expect(await read("list_plants", ({ plants }) => (plants as { id: string }[]).map(({ id }) => id))).toEqual(all);
  const events = await read("recent_events", (content) =>
    (content.events as { plant_id: string }[]).map(({ plant_id }) => plant_id),
  );
  expect(events).toEqual([...all, "4"]);
  const refused = await client.call("import_plants", { plants: Array(500).fill({ id: 5.5, name: "x".repeat(1000) }) });
  expect(Buffer.byteLength(refused.content[0]?.text ?? "")).toBeLessThan(20_000);
});

test("a tool refuses what it cannot use with a number, and an argument that it does not know by its name", async () => {
  await using client = await agent("new", "http", await tokenFor());
  const refusals: [string, object, string | RegExp][] = [
    [
      "list_plants",
      { query: "fern" },
      '40003: Cannot call list_plants: there is no argument "query"; it takes q, tag,',
    ],
    ["edit_plant", { id: "1", new_name: "Fern" }, 'there is no argument "new_name"; it takes id, name, tag'],
    ["import_plants", { plants: [{ id: "1", name: "Fern", tags: [] }] }, 'there is no argument "plants.0.tags"'],
    ["add_plant", { id: "1" }, '40002: Cannot call add_plant: the required argument "name" is missing'],
    ["list_plants", { limit: 101 }, /^40003: Cannot call list_plants: "limit": /],
    ["get_plant", { id: "1" }, "40403: There is no plant with the id 1"],
    ["get_plant", { id: "1", ["x".repeat(100_000)]: 1 }, /^40003: .{1,200}$/],
  ];
  for (const [name, input, text] of refusals) {
    const { isError, content } = await client.call(name, input);
    expect([isError, content[0]?.text]).toEqual([
      true,
      typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
    ]);
  }
});

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
    const Authorization = `Bearer ${await tokenFor()}`;
    const refused = await post({ Authorization, Origin: "https://evil.example" });
    expect([refused.status, refused.body]).toEqual([403, { error: 40302, message: expect.any(String) }]);
    const answer = await post({ Authorization, Origin: service.url });
    expect(answer.status).toBe(200);
    expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });

  test("takes 1 MiB of JSON at most, and no other type; GET is 405", async () => {
    const Authorization = `Bearer ${await tokenFor()}`;
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
      const { status, body } = await post({ Authorization: `Bearer ${await tokenFor()}` }, message);
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
      const { status, body } = await post({ Authorization: `Bearer ${await tokenFor()}`, ...headers }, message);
      expect([status, body]).toEqual([
        httpStatus,
        { jsonrpc: "2.0", id, error: { code, message: expect.any(String) } },
      ]);
    },
  );

  test.each([["application/json"], ["*/*"], ["text/html"]])(
    "answers in JSON whatever Accept says, as a create does: %s",
    async (Accept) => {
      const { status, headers, body } = await post({ Authorization: `Bearer ${await tokenFor()}`, Accept });
      expect([status, headers.get("Content-Type"), body.id]).toEqual([200, "application/json", 1]);
    },
  );

  test("takes a body without a Content-Type for JSON, as a create does", async () => {
    const headers = { Authorization: `Bearer ${await tokenFor()}` };
    const body = new TextEncoder().encode(JSON.stringify(INITIALIZE));
    const answer = await fetch(`${service.url}/mcp`, { method: "POST", headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: 1 }]);
  });

  test("refuses a tool that there is not, and repeats none of a name of 100 kB", async () => {
    const { body } = await post({ Authorization: `Bearer ${await tokenFor()}` }, call("x".repeat(100_000), {}));
    expect(body).toMatchObject({ id: "a", error: { code: -32602 } });
    expect(JSON.stringify(body).length).toBeLessThan(300);
  });

  test.each(SUPPORTED_PROTOCOL_VERSIONS)(
    "speaks version %s with a client that asks for it",
    async (protocolVersion) => {
      const initialize = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } };
      const { body } = await post({ Authorization: `Bearer ${await tokenFor()}` }, initialize);
      expect(body.result.protocolVersion).toBe(protocolVersion);
      expect(body.result.instructions).toContain("as a string with all its digits");
    },
  );

  test.each([[{}], [{ "MCP-Protocol-Version": "2025-03-26" }]])(
    "answers each message of a batch by itself and in order, with %j",
    async (headers: Record<string, string>) => {
      const batch = [...BATCH, ...Array(50 - BATCH.length).fill({ jsonrpc: "2.0", id: "p", method: "ping" })];
      const { status, body } = await post({ Authorization: `Bearer ${await tokenFor()}`, ...headers }, batch);
      expect(status).toBe(200);
      expect(body).toMatchObject([...BATCH_ANSWERS, ...Array(50 - BATCH.length).fill({ id: "p", result: {} })]);
      expect(body).toHaveLength(49);
    },
  );

  test("has no answer to a batch of nothing but notifications", async () => {
    const headers = { Accept: "application/json, text/event-stream" };
    const body = Array(2).fill({ jsonrpc: "2.0", method: "notifications/initialized" });
    const answer = await service.send("POST", "/mcp", { as: await tokenFor(), headers, body });
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
  });

  test("without BASE_URL is served on a loopback address under loopback names alone", async () => {
    const Authorization = `Bearer ${await tokenFor()}`;
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

test("plantstore mcp without a usable token ends with one line, and prints nothing on standard output", async () => {
  const env = { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: "plant_wrong" };
  const child = Bun.spawn([COMMAND, "mcp"], {
    env,
    cwd: join(service.folder),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const { code, out, problem } = await outcomeOf(child);
  expect([code, out]).toEqual([1, ""]);
  expect(problem).toMatch(/^plantstore: .*\(40102, request .*\)\n$/);
});

/** The answers of `plantstore mcp` to lines, of which the second is sent once the first is answered; then its input ends. */
async function answersTo(first: string, rest: readonly string[]) {
  const env = { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await tokenFor() };
  const child = Bun.spawn([COMMAND, "mcp"], { env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  child.stdin.write(`${first}\n`);
  const answers = [];
  for await (const line of createInterface(Readable.fromWeb(child.stdout as never))) {
    if (answers.push(JSON.parse(line)) > 1) continue;
    child.stdin.write(rest.join("\n"));
    child.stdin.end();
  }
  expect(await child.exited).toBe(0);
  return answers;
}

test("plantstore mcp answers what is under way when its input ends, the last line too, and then ends", async () => {
  const lines = [
    '[{"jsonrpc":"2.0","id":8,"method":"ping"}]',
    '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
    ...["2", "3", "4"].map(
      (id) =>
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"add_plant","arguments":{"id":"${id}","name":"Fern"}}}`,
    ),
  ];
  const answers = await answersTo("no JSON", lines);
  expect(answers.slice(0, 3)).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
    { id: 1, error: { code: -32602 } },
  ]);
  expect(
    answers
      .slice(3)
      .map(({ id, result }) => [id, result.structuredContent.id])
      .sort(),
  ).toEqual([
    [2, "2"],
    [3, "3"],
    [4, "4"],
  ]);
});

test("plantstore mcp takes batches once the version that has them is negotiated", async () => {
  const initialize = (protocolVersion: string) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: INFO };
    return JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  };
  const batch = JSON.stringify(BATCH);
  const refused = { id: null, error: { code: -32600 } };
  const answers = await answersTo(initialize("2025-03-26"), [batch, "[]", JSON.stringify(Array(51).fill(6))]);
  expect(answers.filter((answer) => !Array.isArray(answer))).toMatchObject([
    { id: 0, result: { protocolVersion: "2025-03-26" } },
    refused,
    refused,
  ]);
  expect(answers.filter(Array.isArray)).toMatchObject([BATCH_ANSWERS]);
  expect(await answersTo(initialize("2025-06-18"), [batch])).toMatchObject([{ id: 0 }, refused]);
});

const NODE_PROGRAM = `
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { mcpOverStdio } from "#mcp/stdio.ts";

const { PLANTSTORE_URL: url = "", PLANTSTORE_TOKEN: token = "" } = process.env;
await mcpOverStdio(new PlantstoreClient({ url, token }));
`;

testUnless(missingProgram("node"), "on Node the server over standard input and output keeps ids exact", async () => {
  const folder = temporaryFolder();
  const entry = join(ROOT, "src/mcp/node-program.ts");
  const built = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: NODE_PROGRAM },
    target: "node",
    outdir: folder,
  });
  const env = { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await tokenFor() };
  const client = new Client(INFO);
  await client.connect(
    new StdioClientTransport({ command: "node", args: [built.outputs[0]!.path], env, stderr: "inherit" }),
  );
  await client.callTool({ name: "add_plant", arguments: { id: BEYOND, name: "Monstera" } });
  const read = (await client.callTool({ name: "get_plant", arguments: { id: BEYOND } })) as Answer;
  expect(read.structuredContent).toMatchObject({ id: BEYOND });
  await client.close();
});
