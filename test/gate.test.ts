import { expect, test } from "bun:test";
import { GENERATED, readDocument } from "../scripts/tables.ts";
import { ROOT } from "./support/service.ts";

/** Checks of the whole tree. `npm run ok` formats it first and then runs all tests, with these among them. */
test.each([
  ["format and lint (Biome)", ["node_modules/.bin/biome", "ci", "--error-on-warnings", "--colors=off", "."]],
  ["types (TypeScript)", ["npm", "run", "types"]],
  ["rooms and circles of imports", ["npm", "run", "--silent", "imports"]],
  ["dead files, exports and dependencies (knip)", ["node_modules/.bin/knip", "--no-progress"]],
])("the tree passes: %s", async (_what, command) => {
  const child = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const output = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ exitCode: await child.exited, output: output.join("") }).toMatchObject({ exitCode: 0 });
});

test.each(GENERATED)("what is made in $name is what the code makes (npm run tables)", ({ name, make }) => {
  expect(readDocument(name)).toBe(make());
});
