import { beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ROOMS } from "#scripts/rooms.ts";
import { ROOT, temporaryFolder } from "./support/service.ts";

/** One forbidden import for each room, and words of the reason that the linter has to give. */
const FORBIDDEN: readonly [room: string, specifier: string, reason: string][] = [
  ["core", "#contract/errors.ts", "pure"],
  ["contract", "#storage/storage.ts", "wire"],
  ["jobs", "#storage/storage.ts", "interface in core"],
  ["observability", "#http/app.ts", "core alone"],
  ["storage", "#http/answer.ts", "nothing of HTTP"],
  ["accounts", "#http/answer.ts", "core and storage"],
  ["events", "#http/app.ts", "core and contract"],
  ["webhooks", "#http/app.ts", "core, contract, events and storage"],
  ["mail", "#accounts/auth.ts", "core alone"],
  ["backup", "#server/settings.ts", "core and storage"],
  ["http", "#storage/open.ts", "the server wires"],
  ["mcp", "#storage/open.ts", "a client of the API"],
  ["dashboard", "#core/plant.ts", "only over HTTP"],
  ["client", "#core/plant.ts", "published on its own"],
  ["server", "#cli/program.ts", "neither a command nor the client"],
  ["cli", "#storage/open.ts", "operator"],
];

test("every room has an import here that it must not have", () => {
  expect(FORBIDDEN.map(([room]) => room)).toEqual(ROOMS.map(({ name }) => name));
});

const CIRCLE = ["src/core/planted-circle-a.ts", "src/core/planted-circle-b.ts"];

/** The linter's findings by file, in a copy of the tree to which every forbidden import was added. */
let findings: ReadonlyMap<string, string>;
beforeAll(async () => {
  const copy = temporaryFolder();
  for (const name of ["src", "biome.json", ".gitignore"])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  for (const [room, specifier] of FORBIDDEN) plant(join(copy, planted(room)), specifier);
  CIRCLE.forEach((file, index) => {
    plant(join(copy, file), `./${basename(CIRCLE[1 - index] ?? "")}`);
  });
  findings = await lint(copy, [...FORBIDDEN.map(([room]) => planted(room)), ...CIRCLE]);
});

function planted(room: string): string {
  return `src/${room}/planted-by-a-test.ts`;
}

function plant(file: string, specifier: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `import "${specifier}";\n`);
}

test.each(FORBIDDEN)("the room %s may not import %s", (room, _specifier, reason) => {
  expect(findings.get(planted(room))).toContain("noRestrictedImports");
  expect(findings.get(planted(room))).toContain(reason);
});

test("a circle of imports is refused", () => {
  for (const file of CIRCLE) expect(findings.get(file)).toContain("noImportCycles");
});

async function lint(folder: string, files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const command = [join(ROOT, "node_modules/.bin/biome"), "lint", "--colors=off", "--max-diagnostics=200", ...files];
  const child = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const output = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(await child.exited).toBe(1);
  const found = new Map<string, string>();
  for (const [text, file = ""] of output.join("").matchAll(/^(src\S+\.ts):[\s\S]*?(?=^src\S+\.ts:|$(?![\s\S]))/gm)) {
    found.set(file, (found.get(file) ?? "") + text);
  }
  return found;
}
