import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDocument } from "#scripts/tables.ts";
import { ROOT } from "./support/service.ts";

const FOLDERS = ["*.md", "docs/**/*.md", "deploy/*.md", "bench/*.md", "bench/*/*.md", "src/**/*.md"];
const DOCUMENTS = FOLDERS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]);

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

test("every file that ARCHITECTURE.md names is there", () => {
  const named = [...readDocument("ARCHITECTURE.md").matchAll(/`([a-z-]+\/[a-z\d/.-]+\.tsx?)`/g)].map(
    ([, file = ""]) => file,
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !existsSync(join(ROOT, "src", file)) && !existsSync(join(ROOT, file)))).toEqual([]);
});
