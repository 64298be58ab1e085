import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { VERSION } from "#contract/version.ts";

/** `npm run build:client` makes the client's package in dist/client, or in another folder, ready for `npm publish`. */
const ROOT = join(import.meta.dir, "..");
const CLIENT = join(ROOT, "src/client");
const ENTRY = join(CLIENT, "package.ts");
const SCRIPT = "plantstore-client.js";

const MANIFEST = {
  name: "plantstore-client",
  version: VERSION,
  description: "The client of the Plantstore service",
  license: "MIT",
  type: "module",
  sideEffects: false,
  engines: { node: ">=20" },
  exports: { ".": { types: "./types/package.d.ts", default: `./${SCRIPT}` } },
  files: [SCRIPT, "types"],
};

async function buildClientPackage(folder: string): Promise<void> {
  mkdirSync(join(folder, "types"), { recursive: true });
  await bundle(folder);
  declareTypes(join(folder, "types"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(MANIFEST, null, 2)}\n`);
  copyFileSync(join(CLIENT, "README.md"), join(folder, "README.md"));
}

/** One file, with what the client takes from the contract in it. */
async function bundle(folder: string): Promise<void> {
  const { outputs } = await Bun.build({ entrypoints: [ENTRY], target: "browser", format: "esm" });
  for (const output of outputs) await Bun.write(join(folder, SCRIPT), output);
}

function declareTypes(folder: string): void {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const emitted = { ...options, types: [], noEmit: false, declaration: true, emitDeclarationOnly: true };
  const program = ts.createProgram([ENTRY], emitted);
  program.emit(undefined, (name, text, _mark, _onError, sources) => {
    if (!sources?.every(({ fileName }) => fileName.startsWith(CLIENT))) return;
    // Read by projects that may not import .ts files.
    writeFileSync(join(folder, basename(name)), text.replace(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
  });
}

await buildClientPackage(process.argv[2] ?? join(ROOT, "dist/client"));
