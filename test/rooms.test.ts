import { beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOMS } from "#scripts/rooms.ts";
import { ROOT, temporaryFolder } from "./support/service.ts";

/** One import that each room must not have, and words of the reason that the linter has to give. */
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

/** A copy to plant in: the tree itself stays as others read it. */
const copy = temporaryFolder();
beforeAll(() => {
  for (const name of ["src", "biome.json", ".gitignore"])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
});

test.each(FORBIDDEN)("the room %s may not import %s", async (room, specifier, reason) => {
  const file = join(copy, "src", room, "planted-by-a-test.ts");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `import "${specifier}";\n`);
  const { exitCode, output } = await lint(file);
  expect(exitCode).toBe(1);
  expect(output).toContain("noRestrictedImports");
  expect(output).toContain(reason);
});

test("a circle of imports is refused", async () => {
  const files = ["a", "b"].map((name) => join(copy, "src/core", `planted-circle-${name}.ts`));
  files.forEach((file, at) => {
    writeFileSync(file, `import "./planted-circle-${at === 0 ? "b" : "a"}.ts";\n`);
  });
  const { exitCode, output } = await lint(...files);
  expect(exitCode).toBe(1);
  expect(output).toContain("noImportCycles");
});

async function lint(...files: string[]): Promise<{ exitCode: number; output: string }> {
  const command = [join(ROOT, "node_modules/.bin/biome"), "lint", "--colors=off", "--max-diagnostics=20", ...files];
  const child = Bun.spawn(command, { cwd: copy, stdout: "pipe", stderr: "pipe" });
  const [out, problem, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, output: out + problem };
}
