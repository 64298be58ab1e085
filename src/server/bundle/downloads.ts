import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { type Zippable, zipSync } from "fflate";
import { homepage, license, repository, version } from "#package.json";
import { buildClientPackage } from "#scripts/client-package.ts";
import { pack } from "#scripts/npm-package.ts";

interface Download {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The clients and the command line, ready to be installed, with their checksums. The same sources make the same files. */
export async function downloads(root: string): Promise<Download[]> {
  const folder = await mkdtemp(join(tmpdir(), "plantstore-downloads-"));
  try {
    const client = join(folder, "client");
    await buildClientPackage(client);
    const commands = await commandLinePackage(root, join(folder, "cli"));
    const made = [
      { name: `plantstore-client-${version}.tgz`, bytes: await packed(client, folder) },
      { name: `plantstore_client-${version}-py3-none-any.whl`, bytes: await wheel(join(root, "clients/python")) },
      { name: `plantstore-cli-${version}.tgz`, bytes: await packed(commands, folder) },
    ];
    return [...made, { name: "SHA256SUMS", bytes: new TextEncoder().encode(made.map(checksumLine).join("")) }];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A line in the format of sha256sum(1). */
function checksumLine({ name, bytes }: Download): string {
  return `${sha256(bytes).toString("hex")}  ${name}\n`;
}

function sha256(bytes: Uint8Array): Buffer {
  return new Bun.CryptoHasher("sha256").update(bytes).digest();
}

async function packed(content: string, folder: string): Promise<Uint8Array> {
  return Bun.file(await pack(content, folder)).bytes();
}

/** Its entry in `main` needs a module that no bundle finds. */
const ES_MODULES: BunPlugin = {
  name: "es-modules",
  setup: (build) => {
    build.onResolve({ filter: /^jsonc-parser$/ }, () => ({
      path: join(import.meta.dir, "../../../node_modules/jsonc-parser/lib/esm/main.js"),
    }));
  },
};

/** Makes the npm package of the commands that speak to the API alone, which runs on Node and has no dependencies. */
async function commandLinePackage(root: string, folder: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, "src/cli/api-program.ts")],
    target: "node",
    format: "esm",
    minify: { whitespace: true, syntax: true, identifiers: false, keepNames: true },
    plugins: [ES_MODULES],
    define: { PLANTSTORE_COMMIT: '"unknown"' },
  });
  for (const output of outputs)
    await Bun.write(join(folder, "plantstore.js"), `#!/usr/bin/env node\n${await output.text()}`);
  const manifest = {
    name: "@plantstore/cli",
    version,
    description: "The command line of the Plantstore service: the commands that speak to its API",
    license,
    homepage,
    repository: { ...repository, directory: "src/cli" },
    type: "module",
    engines: { node: ">=20.19" },
    bin: { plantstore: "plantstore.js" },
    files: ["plantstore.js"],
  };
  await Bun.write(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return folder;
}

/** A part of pyproject.toml. */
interface PythonProject {
  readonly description: string;
  readonly "requires-python": string;
  readonly dependencies: readonly string[];
}

/** The Python client as a wheel (https://packaging.python.org/en/latest/specifications/binary-distribution-format). */
async function wheel(folder: string): Promise<Uint8Array> {
  const sources = (await Array.fromAsync(new Bun.Glob("plantstore/*").scan({ cwd: join(folder, "src") }))).sort();
  const files = new Map<string, Uint8Array>();
  for (const path of sources) files.set(path, await Bun.file(join(folder, "src", path)).bytes());
  const about = `plantstore_client-${version}.dist-info`;
  const { project } = Bun.TOML.parse(await Bun.file(join(folder, "pyproject.toml")).text()) as {
    project: PythonProject;
  };
  const metadata = [
    ["Metadata-Version", "2.4"],
    ["Name", "plantstore-client"],
    ["Version", version],
    ["Summary", project.description],
    ["License-Expression", license],
    ["Project-URL", `Homepage, ${homepage}`],
    ["Requires-Python", project["requires-python"]],
    ...project.dependencies.map((each) => ["Requires-Dist", each]),
    ["Description-Content-Type", "text/markdown"],
  ];
  const headers = metadata.map(([name, value]) => `${name}: ${value}\n`).join("");
  const readme = await Bun.file(join(folder, "README.md")).text();
  const add = (name: string, text: string) => files.set(`${about}/${name}`, new TextEncoder().encode(text));
  add("METADATA", `${headers}\n${readme}`);
  add("WHEEL", "Wheel-Version: 1.0\nGenerator: plantstore\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
  const records = [...files].map(
    ([path, bytes]) => `${path},sha256=${sha256(bytes).toString("base64url")},${bytes.length}\n`,
  );
  add("RECORD", `${records.join("")}${about}/RECORD,,\n`);
  const zipped: Zippable = Object.fromEntries(files);
  // The earliest time that the format has: its files depend on nothing but their content.
  return zipSync(zipped, { mtime: new Date(1980, 0, 1), level: 9 });
}
