import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "#package.json";
import { readDocument } from "#scripts/tables.ts";
import { DOCUMENTS } from "./support/documents.ts";
import { ROOT } from "./support/service.ts";

test("every link of a document to a file leads to one", () => {
  expect(DOCUMENTS.length).toBeGreaterThan(25);
  const broken = DOCUMENTS.flatMap((name) =>
    [...readDocument(name).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !existsSync(join(ROOT, dirname(name), link)))
      .map((link) => `${name}: ${link}`),
  );
  expect(broken).toEqual([]);
});

/** Paths from the root; those that end in `*` or `…` stand for several. */
const PATH = /(?<![\w/.-])(?:scripts|bench|deploy|test|docs|src|bin)\/[\w./-]*\w(?![\w*…])/g;

test("every file, and every command of npm, that a document names is there", () => {
  const named = DOCUMENTS.flatMap((name) => [...readDocument(name).matchAll(PATH)].map(([path]) => ({ name, path })));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
  const commands = DOCUMENTS.flatMap((name) =>
    [...readDocument(name).matchAll(/npm run ([\w:-]+)/g)].map(([, command = ""]) => ({ name, command })),
  );
  expect(commands.filter(({ command }) => !(command in manifest.scripts))).toEqual([]);
});

test("every file that ARCHITECTURE.md names is there", () => {
  const named = [...readDocument("ARCHITECTURE.md").matchAll(/`([a-z-]+\/[a-z\d/.-]+\.tsx?)`/g)].map(
    ([, file = ""]) => file,
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !existsSync(join(ROOT, "src", file)) && !existsSync(join(ROOT, file)))).toEqual([]);
});
