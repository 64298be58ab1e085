import { beforeAll, expect, test } from "bun:test";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, temporaryFolder } from "../support/service.ts";

/** One import that each room must not have, and a word of the reason that the tool has to give. */
const FORBIDDEN: readonly [room: string, specifier: string, reason: string][] = [
  ["core", "#contract/errors.ts", "pure"],
  ["contract", "#storage/storage.ts", "wire"],
  ["storage", "#http/answer.ts", "nothing of HTTP"],
  ["http", "#storage/open.ts", "the server wires"],
  ["accounts", "#http/answer.ts", "core and storage"],
  ["client", "#core/plant.ts", "published on its own"],
  ["dashboard", "#core/plant.ts", "only over HTTP"],
  ["cli", "#storage/open.ts", "operator"],
  ["server", "#cli/program.ts", "imports no command"],
];

/** A copy to plant in: the tree itself stays as others read it. */
const copy = temporaryFolder();
beforeAll(() => {
  for (const name of ["src", "biome.json", ".gitignore"])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
});

test.each(FORBIDDEN)("the room %s may not import %s", async (room, specifier, reason) => {
  const file = join(copy, "src", room, "planted-by-a-test.ts");
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
