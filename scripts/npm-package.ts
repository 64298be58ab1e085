import { chmod, copyFile, cp, mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import manifest from "../package.json";
import { outcomeOf } from "../test/support/process.ts";
import { dashboardPages, programBundle, ROOT } from "./program-bundle.ts";

/**
 * `npm run build:package [-- FOLDER]` builds the npm package of the service, which has the runtime as its only dependency
 * and needs no install scripts: `plantstore-server-VERSION.tgz` in dist, or in another folder.
 */
export async function buildPackage(folder: string): Promise<string> {
  return pack(await packageContent(folder), folder);
}

/** The content of the package, in a folder inside the given one. */
async function packageContent(folder: string): Promise<string> {
  const content = join(folder, "package");
  await rm(content, { recursive: true, force: true });
  await mkdir(join(content, "bin"), { recursive: true });
  const bundle = await programBundle();
  const naming = { entry: "[name].js", chunk: "[name]-[hash].js", asset: "[name]-[hash].[ext]" };
  await Bun.build({ ...bundle, splitting: true, outdir: join(content, "lib"), naming });
  for (const entry of bundle.entrypoints) await writeWorkerAddress(join(content, "lib"), entry);
  await cp(await dashboardPages(), join(content, "lib/dashboard"), { recursive: true });
  for (const file of ["LICENSE", "README.md", "CHANGELOG.md"]) await copyFile(join(ROOT, file), join(content, file));
  await copyFile(join(ROOT, "bin/plantstore.mjs"), join(content, "bin/plantstore.mjs"));
  await chmod(join(content, "bin/plantstore.mjs"), 0o755);
  await Bun.write(join(content, "package.json"), `${JSON.stringify(packageManifest(), undefined, 2)}\n`);
  return content;
}

/** A thread is started by the name of its source file, which has to lead to the built file. */
async function writeWorkerAddress(folder: string, entry: string): Promise<void> {
  const name = entry.slice(entry.lastIndexOf("/") + 1, -".ts".length);
  if (name.endsWith("-worker")) await Bun.write(join(folder, `${name}.ts`), `import "./${name}.js";\n`);
}

function packageManifest() {
  const { version, description, license, homepage, repository, type, engines, dependencies } = manifest;
  return {
    name: "@plantstore/server",
    version,
    description,
    license,
    homepage,
    repository,
    type,
    engines,
    bin: { plantstore: "bin/plantstore.mjs" },
    files: ["bin/plantstore.mjs", "lib/", "CHANGELOG.md"],
    dependencies: { bun: dependencies.bun },
  };
}

/** Packs a folder, and gives the path of the archive. */
export async function pack(content: string, folder: string): Promise<string> {
  const npm = Bun.spawn(["npm", "pack", content, "--pack-destination", folder, "--json"], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const { out, problem, code } = await outcomeOf(npm);
  if (code !== 0) throw new Error(`npm pack failed: ${problem}`);
  const [{ filename }] = JSON.parse(out) as [{ filename: string }];
  return join(folder, filename);
}

if (import.meta.main) console.log(await buildPackage(resolve(process.argv[2] ?? join(ROOT, "dist"))));
