import { afterAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/service.ts";

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

const planted: string[] = [];
afterAll(() => {
  for (const file of planted) rmSync(file, { force: true });
});

test.each(FORBIDDEN)("the room %s may not import %s", async (room, specifier, reason) => {
  const file = join(ROOT, "src", room, "planted-by-a-test.ts");
  planted.push(file);
  writeFileSync(file, `import "${specifier}";\n`);
  const { exitCode, output } = await lint(file);
  rmSync(file);
  expect(exitCode).toBe(1);
  expect(output).toContain("noRestrictedImports");
  expect(output).toContain(reason);
});

test("a circle of imports is refused", async () => {
  const files = ["a", "b"].map((name) => join(ROOT, "src/core", `planted-circle-${name}.ts`));
  planted.push(...files);
  files.forEach((file, at) => {
    writeFileSync(file, `import "./planted-circle-${at === 0 ? "b" : "a"}.ts";\n`);
  });
  const { exitCode, output } = await lint(...files);
  for (const file of files) rmSync(file);
  expect(exitCode).toBe(1);
  expect(output).toContain("noImportCycles");
});

async function lint(...files: string[]): Promise<{ exitCode: number; output: string }> {
  const command = [join(ROOT, "node_modules/.bin/biome"), "lint", "--colors=off", "--max-diagnostics=20", ...files];
  const child = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const [out, problem, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, output: out + problem };
}
