import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { homepage, repository, version } from "#package.json";

/** `npm run build:client` makes the client's package in dist/client, or in another folder, ready for `npm publish`. */
const ROOT = join(import.meta.dir, "..");
const CLIENT = join(ROOT, "src/client");
const ENTRY = join(CLIENT, "package.ts");
/** The files of another room whose types the package shows. */
const SHOWN = ["error-numbers", "bulk-type"].map((name) => join(ROOT, `src/contract/${name}.ts`));
const SCRIPT = "plantstore-client.js";

const MANIFEST = {
  name: "@plantstore/client",
  version,
  description: "The client of the Plantstore service",
  keywords: ["plantstore", "api", "client"],
  license: "MIT",
  homepage,
  repository: { ...repository, directory: "src/client" },
  type: "module",
  sideEffects: false,
  engines: { node: ">=20" },
  // `main` and `types` are for tools that do not know `exports`.
  main: `./${SCRIPT}`,
  types: "./types/package.d.ts",
  exports: { ".": { types: "./types/package.d.ts", default: `./${SCRIPT}` }, "./package.json": "./package.json" },
  files: [SCRIPT, "types", "LICENSE"],
};

/** Makes the package in that folder. */
export async function buildClientPackage(folder: string): Promise<void> {
  mkdirSync(join(folder, "types"), { recursive: true });
  await bundle(folder);
  declareTypes(join(folder, "types"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(MANIFEST, null, 2)}\n`);
  copyFileSync(join(CLIENT, "README.md"), join(folder, "README.md"));
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
}

/** One file, which includes the parts of the contract that the client uses. */
async function bundle(folder: string): Promise<void> {
  const { outputs } = await Bun.build({ entrypoints: [ENTRY], target: "browser", format: "esm", minify: true });
  for (const output of outputs) await Bun.write(join(folder, SCRIPT), output);
}

function declareTypes(folder: string): void {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const emitted = { ...options, types: [], noEmit: false, declaration: true, emitDeclarationOnly: true };
  const program = ts.createProgram([ENTRY], emitted);
  program.emit(undefined, (name, text, _mark, _onError, sources) => {
    if (!sources?.every(({ fileName }) => fileName.startsWith(CLIENT) || SHOWN.includes(fileName))) return;
    // For projects that may not import .ts files and do not have the contract's room.
    const published = text.replace(/(from ")(?:\.|#contract)(\/[\w-]+)\.ts"/g, '$1.$2.js"');
    writeFileSync(join(folder, basename(name)), published);
  });
}

if (import.meta.main) await buildClientPackage(process.argv[2] ?? join(ROOT, "dist/client"));
