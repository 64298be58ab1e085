import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { homepage, repository, version } from "#package.json";

/** `npm run build:client` makes the client's package in dist/client, or in another folder, ready for `npm publish`. */
const ROOT = join(import.meta.dir, "..");
const CLIENT = join(ROOT, "src/client");
const ENTRY = join(CLIENT, "package.ts");
/** The files of another room whose types the package shows. */
const SHOWN = ["error-numbers", "bulk-type"].map((name) => `src/contract/${name}.d.ts`);
const COMPILER = join(ROOT, "node_modules/typescript-native/bin/tsc");
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
  engines: { node: ">=20.19" },
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

/** The types alone, unchecked: the gate checks them. */
function declareTypes(folder: string): void {
  const draft = mkdtempSync(join(tmpdir(), "plantstore-types-"));
  try {
    const compilerOptions = { types: [], noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true };
    const project = { extends: join(ROOT, "tsconfig.json"), include: [], files: [ENTRY] };
    const emitted = { ...compilerOptions, incremental: false, tsBuildInfoFile: null, rootDir: ROOT, outDir: draft };
    const path = join(draft, "tsconfig.json");
    writeFileSync(path, JSON.stringify({ ...project, compilerOptions: emitted }));
    const { success, stdout } = Bun.spawnSync([COMPILER, "-p", path]);
    if (!success) throw new Error(`The client's types cannot be emitted: ${stdout}`);
    const shown = [...new Bun.Glob("src/client/*.d.ts").scanSync(draft), ...SHOWN];
    for (const name of shown) {
      // For projects that may not import .ts files and do not have the contract's room.
      const text = readFileSync(join(draft, name), "utf8");
      const published = text.replace(/(from ")(?:\.|#contract)(\/[\w-]+)\.ts"/g, '$1.$2.js"');
      writeFileSync(join(folder, basename(name)), published);
    }
  } finally {
    rmSync(draft, { recursive: true });
  }
}

if (import.meta.main) await buildClientPackage(process.argv[2] ?? join(ROOT, "dist/client"));
