import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { CLIENT_VERSION } from "#client/user-agent.ts";
import { HARD_PLANTS } from "./support/hard-plants.ts";
import { ROOT, startService, type TestService, temporaryFolder } from "./support/service.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";

/** A user's folder: the package is installed in it, and nothing else of this project is there. */
const folder = temporaryFolder();
let service: TestService;
let token: string;

beforeAll(async () => {
  service = await startService();
  token = await service.token();
  const built = temporaryFolder();
  run(ROOT, process.execPath, "scripts/client-package.ts", built);
  run(built, "npm", "pack", "--silent", "--pack-destination", folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  run(folder, "npm", "install", "--offline", "--silent", "--no-audit", "--no-fund", `./${tarball}`);
});
afterAll(() => service.stop());

function run(cwd: string, ...command: string[]): string {
  const env = { PATH: process.env.PATH ?? "", HOME: folder, PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: token };
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, env });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} exited with ${exitCode}: ${stdout}${stderr}`);
  return stdout.toString();
}

/** A program for Node, Bun, Deno and browsers that writes and reads every hard plant. */
const PROGRAM = `
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { PlantstoreClient, PlantstoreError, PlantstoreUnreachable } from "plantstore-client";

const url = process.env.PLANTSTORE_URL;
const client = new PlantstoreClient({ url, token: async () => process.env.PLANTSTORE_TOKEN });
const plants = JSON.parse(readFileSync("plants.json", "utf8")).map(({ id, name, tag }) => ({ id: BigInt(id), name, tag }));
const sent = ({ id, name, tag }) => ({ id, name, tag });
const inOrder = plants.toSorted((a, b) => (a.id < b.id ? -1 : 1));

assert.equal((await client.import(plants)).created, plants.length);
for (const plant of plants) assert.equal((await client.create(plant)).replayed, true);
for (const plant of plants) assert.deepEqual(sent(await client.get(plant.id)), plant);
const listed = [];
for await (const plant of client.list({ pageSize: 5 })) listed.push(sent(plant));
assert.deepEqual(listed, inOrder);
const exported = [];
for await (const plant of client.export()) exported.push(sent(plant));
assert.deepEqual(exported, inOrder);
const again = await client.import(client.export({ format: "csv" }).readable(), { format: "csv" });
assert.deepEqual([again.created, again.unchanged, again.failed], [0, plants.length, 0]);

const { etag } = await client.get(1);
await client.change(1, { name: "Changed" }, { ifMatch: etag });
await assert.rejects(client.remove(1, { ifMatch: etag }), (e) => e instanceof PlantstoreError && e.error === 41201);
await client.remove(1);

const reason = new Error("left");
await assert.rejects(client.create({ id: 1, name: "x" }, { signal: AbortSignal.abort(reason) }), reason);
const nowhere = new PlantstoreClient({ url: "http://127.0.0.1:9", token: "plant_x", retriesMax: 0 });
await assert.rejects(nowhere.get(1), (e) => e instanceof PlantstoreUnreachable && e.reason === "network");
console.log("exact on", process.release.name, process.versions.node.split(".")[0]);
`;

test("the package is one script and its types, and depends on nothing", () => {
  const installed = join(folder, "node_modules/plantstore-client");
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "plantstore-client", version: CLIENT_VERSION, type: "module" });
  expect([manifest.dependencies, manifest.peerDependencies, manifest.private]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(readdirSync(installed).sort()).toEqual([
    "LICENSE",
    "README.md",
    "package.json",
    "plantstore-client.js",
    "types",
  ]);
  const script = readFileSync(join(installed, "plantstore-client.js"), "utf8");
  expect(script).not.toMatch(/^import |\brequire\(|\bprocess\.|\bBuffer\b|\bBun\b|\bDeno\b/m);
  expect(gzipSync(script).length).toBeLessThan(12_000);
});

for (const [runtime, ...command] of [["node"], ["bun"], ["deno", "run", "-A"]] as [string, ...string[]][]) {
  const name = `on ${runtime} it writes and reads every hard plant exactly`;
  testUnless(runtime === "bun" ? undefined : missingProgram(runtime), name, async () => {
    token = await service.token();
    writeFileSync(join(folder, "plants.json"), JSON.stringify(HARD_PLANTS));
    writeFileSync(join(folder, "program.js"), PROGRAM);
    const program = runtime === "bun" ? process.execPath : runtime;
    expect(run(folder, program, ...command, "program.js")).toMatch(/^exact on \w+ \d+\n$/);
  });
}

const PAGE = `
import { PlantstoreClient, verifyWebhook } from "plantstore-client";

globalThis.outcome = (async () => {
  const client = new PlantstoreClient({ url: PLANTSTORE_URL, token: PLANTSTORE_TOKEN });
  await client.create({ id: 9007199254740993n, name: "Monstera" });
  const exported = await new Response(client.export({ format: "csv" }).readable()).text();
  const refused = await verifyWebhook("{}", new Headers(), "whsec_AAAA").catch(({ name }) => name);
  return [String((await client.get(9007199254740993n)).id), exported.includes("9007199254740993"), refused];
})();
`;

/** The globals of a browser's page, without those that Node or Bun add. */
const PAGE_GLOBALS = {
  ...{ fetch, Response, Headers, URL, URLSearchParams, ReadableStream, TextEncoder, TextDecoder, Blob, crypto, atob },
  ...{ AbortController, AbortSignal, setTimeout, clearTimeout, performance },
  navigator: { userAgent: "Mozilla/5.0" },
};

test("a bundle of it for browsers runs with what a page has, and is at most 12 kB compressed", async () => {
  writeFileSync(join(folder, "page.js"), PAGE);
  const built = await Bun.build({
    entrypoints: [join(folder, "page.js")],
    target: "browser",
    format: "iife",
    minify: true,
  });
  const bundle = await built.outputs[0]!.text();
  expect(gzipSync(bundle).length).toBeLessThan(12_000);
  const page = createContext({ ...PAGE_GLOBALS, PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await service.token() });
  new Script(bundle).runInContext(page);
  expect(await page.outcome).toEqual(["9007199254740993", true, "WebhookVerificationError"]);
});

const TYPED = `
import { type ImportSummary, PlantstoreClient, PlantstoreError, type StoredPlant } from "plantstore-client";

const client = new PlantstoreClient({ url: "http://127.0.0.1", token: (refused?: string) => refused ?? "plant_x" });
export async function use(file: Blob): Promise<bigint[]> {
  const summary: ImportSummary = await client.import(file, { format: "csv", onProgress: ({ lines }) => console.log(lines) });
  const plant: StoredPlant = await client.get(9007199254740993n, { signal: AbortSignal.timeout(summary.failed) });
  const added: Date = plant.createdAt;
  const bytes: ReadableStream<Uint8Array> = client.export({ format: "ndjson" }).readable();
  const ids: bigint[] = [];
  for await (const { id } of client.list({ order: "-created_at" })) ids.push(id);
  try {
    await client.create({ id: 1, name: String(added), tag: String(bytes) });
  } catch (error) {
    if (error instanceof PlantstoreError) console.log(error.error + error.status, error.requestId);
  }
  return ids;
}
// @ts-expect-error an id is no text
client.get("42");
// @ts-expect-error a text needs its format
client.import(new Uint8Array());
`;

test("its types stand on their own, under the strictest way to look them up", () => {
  writeFileSync(join(folder, "typed.ts"), TYPED);
  const lib = "es2022,dom,dom.iterable,dom.asynciterable";
  const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", lib, "--module", "nodenext"];
  run(folder, "node", join(ROOT, "node_modules/typescript/bin/tsc"), ...options, "typed.ts");
});

test("what its README shows runs as it stands", async () => {
  token = await service.token();
  const readme = readFileSync(join(ROOT, "src/client/README.md"), "utf8");
  const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  writeFileSync(join(folder, "example.js"), example.replace('"http://127.0.0.1:3000"', "process.env.PLANTSTORE_URL"));
  expect(run(folder, "node", "example.js")).toContain("taken: The id 9007199254740993 is taken");
});

/** The TypeScript examples in the docstrings of the client's class, in their order. */
function docstringExamples(file: string): string[] {
  const source = readFileSync(join(ROOT, "src/client", file), "utf8");
  const blocks = [...source.matchAll(/^ *\* ```ts\n([\s\S]*?)^ *\* ```$/gm)];
  return blocks.map(([, block = ""]) => block.replace(/^ *\* ?/gm, ""));
}

test("every example in the docstrings compiles and runs, one after the other", async () => {
  token = await service.token();
  const [main = "", ...others] = docstringExamples("plantstore-client.ts");
  const [webhook = ""] = docstringExamples("webhook-signature.ts");
  expect(others.length).toBeGreaterThan(8);
  // Each in a scope of its own, but for the first, which makes the client.
  const whole = [main, ...others.map((block) => `{\n${block}}`)].join("\n");
  const placed = whole.replace('"http://127.0.0.1:3000"', 'process.env.PLANTSTORE_URL ?? ""');
  writeFileSync(join(folder, "examples.ts"), placed);
  writeFileSync(join(folder, "receiver.ts"), webhook);
  writeFileSync(join(folder, "node.d.ts"), "declare const process: { env: Record<string, string | undefined> };");
  const lib = "es2022,dom,dom.iterable,dom.asynciterable";
  const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", lib, "--module", "nodenext"];
  const files = ["node.d.ts", "examples.ts", "receiver.ts"];
  run(folder, "node", join(ROOT, "node_modules/typescript/bin/tsc"), ...options, ...files);
  expect(run(folder, process.execPath, "examples.ts")).toContain("created");
});
