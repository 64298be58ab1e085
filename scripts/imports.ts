import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOMS } from "./rooms.ts";

/**
 * `npm run imports`: each room imports those rooms alone that it may, and no files import each other in a circle. Types count,
 * but for the rooms of which a room may import them.
 */
const ROOT = join(import.meta.dir, "..");
const MADE_FOR_TESTS = /\.test\.tsx?$/;

/** The files that each file below `src/` imports, all as paths from the root. */
type Imports = ReadonlyMap<string, readonly string[]>;

function readImports(): Imports {
  const files = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(ROOT)].sort();
  return new Map(files.map((file) => [file, importedFiles(file)]));
}

function importedFiles(file: string): string[] {
  const { importedFiles: imports } = ts.preProcessFile(readFileSync(join(ROOT, file), "utf8"));
  return imports.map(({ fileName }) => pathOf(fileName, file)).filter((path) => path !== undefined);
}

const TRANSPILERS = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };

/** True if the import is there when the program runs: imports of types alone are not. */
function isOfValues(file: string, path: string): boolean {
  const transpiler = TRANSPILERS[file.endsWith("x") ? "tsx" : "ts"];
  return transpiler
    .scanImports(readFileSync(join(ROOT, file), "utf8"))
    .some((imported) => pathOf(imported.path, file) === path);
}

/** The path of `#room/file.ts` or `./file.ts`; none of a package. */
function pathOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith(".")) return join(importer, "..", specifier);
  if (!specifier.startsWith("#")) return undefined;
  const path = specifier.slice(1);
  return ROOMS.some(({ name }) => path.startsWith(`${name}/`)) ? `src/${path}` : path;
}

function forbiddenImports(imports: Imports): string[] {
  return ROOMS.flatMap(({ name, mayImport, mayImportTypes = [], reason }) => {
    const isOf = (rooms: readonly string[], path: string) => rooms.some((room) => path.startsWith(`src/${room}/`));
    const isAllowed = (file: string, path: string) =>
      isOf([name, ...mayImport], path) || (isOf(mayImportTypes, path) && !isOfValues(file, path));
    return [...imports]
      .filter(([file]) => file.startsWith(`src/${name}/`) && !MADE_FOR_TESTS.test(file))
      .flatMap(([file, imported]) => imported.map((path) => ({ file, path })))
      .filter(({ file, path }) => /^(src|test)\//.test(path) && !isAllowed(file, path))
      .map(({ file, path }) => `${file} imports ${path}. ${reason}`);
  });
}

/** A circle for each import that closes one, found depth first. */
function circles(imports: Imports): string[] {
  const found: string[] = [];
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) found.push(`These files import each other: ${[...path.slice(start), file].join(" → ")}`);
    if (start >= 0 || finished.has(file)) return;
    path.push(file);
    for (const imported of imports.get(file) ?? []) visit(imported);
    path.pop();
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return found;
}

const imports = readImports();
const problems = [...forbiddenImports(imports), ...circles(imports)];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
