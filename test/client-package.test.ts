import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { RELEASE } from "#server/process/release.ts";
import { TestPage } from "./support/browser.ts";
import { HARD_PLANTS_PROGRAM, installClient } from "./support/installed-client.ts";
import { ROOT, startService, temporaryFolder } from "./support/service.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";

/** A user's folder: the package is installed in it, and nothing else of this project is there. */
const folder = temporaryFolder();

const service = await startService();
afterAll(() => service.stop());
let token = await service.token();
installClient(folder);

function run(cwd: string, ...command: string[]): string {
  const env = { PATH: process.env.PATH ?? "", HOME: folder, PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: token };
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, env });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} exited with ${exitCode}: ${stdout}${stderr}`);
  return stdout.toString();
}

test("the package is one script and its types, and depends on nothing", () => {
  const installed = join(folder, "node_modules/@plantstore/client");
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "@plantstore/client", version: RELEASE, type: "module" });
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
  expect(gzipSync(script).length).toBeLessThan(14_000);
});

for (const [runtime, ...command] of [["node"], ["bun"], ["deno", "run", "-A"]] as [string, ...string[]][]) {
  const name = `on ${runtime} it writes and reads every hard plant exactly`;
  testUnless(runtime === "bun" ? undefined : missingProgram(runtime), name, async () => {
    token = await service.token();
    const program = runtime === "bun" ? process.execPath : runtime;
    expect(run(folder, program, ...command, HARD_PLANTS_PROGRAM)).toMatch(/^exact on \w+ \d+\n$/);
  });
}

const PAGE = `
import { PlantstoreClient, PlantstoreError, verifyWebhook } from "@plantstore/client";

globalThis.use = async (url, token) => {
  const client = new PlantstoreClient({ url, token });
  const { replayed } = await client.create({ id: 9007199254740993n, name: "Monstera", tag: "indoor" });
  const imported = await client.importPlants(new Blob(["id,name\\n1,Aloe\\n2,Fern\\n"]), { format: "csv" });
  const { id, etag } = await client.get(9007199254740993n);
  await client.change(id, { tag: null }, { ifMatch: etag });
  const listed = await Array.fromAsync(client.list({ pageSize: 2 }));
  const exported = await new Response(client.export({ format: "csv" }).readable()).text();
  const taken = await client.create({ id: 1, name: "Ficus" }).catch((error) => error);
  const unset = await Promise.try(() => new PlantstoreClient()).catch(({ message }) => message);
  return {
    replayed,
    created: imported.created,
    types: [...new Set(listed.map((plant) => typeof plant.id))],
    ids: listed.map((plant) => String(plant.id)),
    exported: exported.includes("9007199254740993,Monstera,,"),
    taken: [taken instanceof PlantstoreError, taken.error, typeof taken.requestId],
    unset,
    webhook: await verifyWebhook("{}", new Headers(), "whsec_AAAA").catch(({ name }) => name),
  };
};
`;

/** A page of an origin of its own that holds the script. */
function servePage(script: string) {
  const html = `<!doctype html><meta charset="utf-8"><title>Client</title><script>${script}</script>`;
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(html, { headers: { "Content-Type": "text/html" } }),
  });
}

test("a bundle of it runs on a browser's page of another origin, ids as bigints, and is at most 14 kB compressed", async () => {
  writeFileSync(join(folder, "page.js"), PAGE);
  const built = await Bun.build({
    entrypoints: [join(folder, "page.js")],
    target: "browser",
    format: "iife",
    minify: true,
  });
  const bundle = await built.outputs[0]!.text();
  expect(gzipSync(bundle).length).toBeLessThan(14_000);
  const server = servePage(bundle);
  const opened = await TestPage.open(service);
  try {
    await opened.page.goto(server.url.href);
    const call = `use(${JSON.stringify(service.url)}, ${JSON.stringify(await service.token())})`;
    expect(await opened.page.evaluate(call)).toEqual({
      replayed: false,
      created: 2,
      types: ["bigint"],
      ids: ["1", "2", "9007199254740993"],
      exported: true,
      taken: [true, 40901, "string"],
      unset: "There is no url: pass one, or set PLANTSTORE_URL",
      webhook: "WebhookVerificationError",
    });
  } finally {
    await opened.close();
    await server.stop(true);
  }
});

const TYPED = `
import { type ImportSummary, PlantstoreClient, PlantstoreError, type StoredPlant } from "@plantstore/client";

const client = new PlantstoreClient({ url: "http://127.0.0.1", token: (refused?: string) => refused ?? "plant_x" });
export async function use(file: Blob): Promise<bigint[]> {
  const summary: ImportSummary = await client.importPlants(file, { format: "csv", onProgress: ({ lines }) => console.log(lines) });
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
client.importPlants(new Uint8Array());
`;

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

test("its types stand on their own, and every example in the docstrings compiles with them and runs, one after the other", async () => {
  token = await service.token();
  writeFileSync(join(folder, "typed.ts"), TYPED);
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
  // Of the compiler that most projects have, under the strictest way to look types up.
  const options = [
    "--noEmit",
    "--strict",
    "--skipDefaultLibCheck",
    "--target",
    "es2022",
    "--lib",
    lib,
    "--module",
    "nodenext",
  ];
  const files = ["node.d.ts", "typed.ts", "examples.ts", "receiver.ts"];
  run(folder, "node", join(ROOT, "node_modules/typescript/bin/tsc"), ...options, ...files);
  expect(run(folder, process.execPath, "examples.ts")).toContain("created");
});
