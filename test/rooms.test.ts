import { beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ROOMS } from "#scripts/rooms.ts";
import { ROOT, temporaryFolder } from "./support/service.ts";

/** A forbidden import for each room, and words of the reason that has to be given. Of the last two, types may be imported. */
const FORBIDDEN: readonly [room: string, specifier: string, reason: string][] = [
  ["core", "#contract/errors.ts", "pure"],
  ["contract", "#storage/storage.ts", "wire"],
  ["files", "#core/failure.ts", "Files are bytes"],
  ["threads", "#http/app.ts", "core alone"],
  ["load", "#http/app.ts", "core and threads"],
  ["jobs", "#storage/storage.ts", "interface in core"],
  ["observability", "#http/app.ts", "core and load"],
  ["storage", "#http/answer.ts", "nothing of HTTP"],
  ["accounts", "#http/answer.ts", "core, load and storage"],
  ["webhooks", "#http/feed/event-hub.ts", "core, threads, load, contract and storage"],
  ["mail", "#accounts/auth-service.ts", "core alone"],
  ["backup", "#server/settings.ts", "core, threads, load, storage and files"],
  ["certificates", "#storage/open.ts", "core and files"],
  ["http", "#storage/open.ts", "the server wires"],
  ["mcp", "#storage/open.ts", "a client of the API"],
  ["dashboard", "#core/plant.ts", "only over HTTP"],
  ["client", "#core/plant.ts", "published on its own"],
  ["server", "#cli/program.ts", "neither a command nor the client"],
  ["cli", "#storage/open.ts", "operator"],
  ["http", "#accounts/auth-service.ts", "by their types"],
  ["http", "#webhooks/webhook-service.ts", "by their types"],
];

test("every room has an import here that it must not have", () => {
  expect([...new Set(FORBIDDEN.map(([room]) => room))]).toEqual(ROOMS.map(({ name }) => name));
});

const CIRCLE = ["core/planted-circle-a.ts", "core/planted-circle-b.ts"];

/** The output of `npm run imports` in a copy of the tree to which every forbidden import and a circle of types were added. */
let said: string;
beforeAll(async () => {
  const copy = temporaryFolder();
  const parts = ["src", "test", "scripts", "package.json", "tsconfig.json"];
  for (const name of parts) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  for (const [room, specifier] of FORBIDDEN)
    plant(join(copy, "src", planted(room, specifier)), `import "${specifier}";`);
  CIRCLE.forEach((file, index) => {
    plant(join(copy, "src", file), `import type * as other from "./${basename(CIRCLE[1 - index] ?? "")}";`);
  });
  const child = Bun.spawn([process.execPath, "scripts/imports.ts"], { cwd: copy, stdout: "pipe", stderr: "pipe" });
  said = await new Response(child.stderr).text();
  expect(await child.exited).not.toBe(0);
});

function planted(room: string, specifier: string): string {
  return `${room}/planted-by-a-test/${basename(specifier)}`;
}

function plant(file: string, line: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${line}\n`);
}

test.each(FORBIDDEN)("the room %s may not import %s", (room, specifier, reason) => {
  const [, finding = ""] = said.split(`src/${planted(room, specifier)} imports src/${specifier.slice(1)}. `);
  expect(finding.split("\n")[0]).toContain(reason);
});

test("the tree itself imports as its rooms may, and in no circle", () => {
  expect(said.split("\n").filter((line) => !/planted-by-a-test|planted-circle|^$/.test(line))).toEqual([]);
});

test("a circle is refused, of types too, and named", () => {
  const [a, b] = CIRCLE.map((file) => `src/${file}`);
  expect(said).toContain(`import each other: ${a} → ${b} → ${a}`);
});
