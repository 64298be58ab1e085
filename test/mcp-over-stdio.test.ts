import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { BATCH, BATCH_ANSWERS } from "./support/mcp-batch.ts";
import { outcomeOf } from "./support/process.ts";
import { COMMAND, ROOT, runCommand, startService, temporaryFolder } from "./support/service.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";

const BEYOND = "9007199254740993";

const service = await startService({ settings: { MCP: "on" } });
afterAll(() => service.stop());

const INFO = { name: "tests", version: "1.0.0" };

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

/** The answers of `plantstore mcp` to a whole input. */
async function answersToAll(lines: readonly string[]) {
  const env = { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await service.token() };
  const out = await runCommand(env, service.folder, ["mcp"], lines.join("\n"));
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The answers of `plantstore mcp` to lines, of which the second is sent once the first is answered; then its input ends. */
async function answersTo(first: string, rest: readonly string[]) {
  const env = { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await service.token() };
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
  expect(await answersToAll([initialize("2025-03-26"), batch])).toMatchObject([{ id: 0 }, BATCH_ANSWERS]);
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
  const env = { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await service.token() };
  const client = new Client(INFO);
  await client.connect(
    new StdioClientTransport({ command: "node", args: [built.outputs[0]!.path], env, stderr: "inherit" }),
  );
  await client.callTool({ name: "add_plant", arguments: { id: BEYOND, name: "Monstera" } });
  const read = await client.callTool({ name: "get_plant", arguments: { id: BEYOND } });
  expect(read.structuredContent).toMatchObject({ id: BEYOND });
  await client.close();
});
