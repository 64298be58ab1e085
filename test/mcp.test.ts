import { afterAll, describe, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Scope } from "#core/token.ts";
import { COMMAND, startService } from "./support/service.ts";

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
