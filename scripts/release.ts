import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { RELEASE, releaseInfo } from "#server/process/release.ts";
import { outcomeOf } from "../test/support/process.ts";
import { buildClientPackage } from "./client-package.ts";
import { buildPackage, pack } from "./npm-package.ts";
import { ROOT } from "./program-bundle.ts";
import { buildStandalone } from "./standalone.ts";

/**
 * Makes all files of a release: `scripts/release [--to FOLDER] [TARGET]…`, by default into dist/release and for every
 * target. The runtimes of other targets come from the npm registry. Two runs on one commit make the same files.
 */
const TARGETS = ["linux-x64", "linux-arm64", "linux-x64-musl", "linux-x64-baseline", "darwin-arm64", "darwin-x64"];

async function release(folder: string, targets: readonly string[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const target of targets) await buildStandalone(target, folder);
  const client = join(ROOT, "dist/client");
  await buildClientPackage(client);
  for (const archive of [await buildPackage(join(ROOT, "dist")), await pack(client, join(ROOT, "dist"))]) {
    await copyFile(archive, join(folder, basename(archive)));
  }
  await Bun.write(join(folder, "sbom.cyclonedx.json"), await billOfMaterials());
  await Bun.write(join(folder, "NOTES.md"), await changelogSection());
  await Bun.write(join(folder, "SHA256SUMS"), await sums(folder));
}

/** Everything that the program is built of and with, without the time and the random number that npm adds. */
async function billOfMaterials(): Promise<string> {
  const npm = Bun.spawn(["npm", "sbom", "--include=dev", "--sbom-format=cyclonedx", "--sbom-type=application"], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "pipe",
  });
  const { out, problem, code } = await outcomeOf(npm);
  if (code !== 0) throw new Error(`npm sbom failed; run npm ci, then try again:\n${problem}`);
  const bill = JSON.parse(out);
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  bill.metadata.component.name = "plantstore";
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/** The section of this release; before it exists, the section of unreleased changes. */
async function changelogSection(): Promise<string> {
  const [, ...sections] = (await Bun.file(join(ROOT, "CHANGELOG.md")).text()).split(/^(?=## )/m);
  const titled = (title: string) => sections.find((section) => section.split(/[,\n]/, 1)[0] === `## ${title}`);
  return titled("Unreleased") ?? titled(RELEASE) ?? `## ${RELEASE}\n`;
}

/** The format of sha256sum(1). */
async function sums(folder: string): Promise<string> {
  const lines = (await readdir(folder)).sort().map(async (file) => {
    const hasher = new Bun.CryptoHasher("sha256");
    for await (const chunk of Bun.file(join(folder, file)).stream()) hasher.update(chunk);
    return `${hasher.digest("hex")}  ${file}\n`;
  });
  return (await Promise.all(lines)).join("");
}

const args = process.argv.slice(2);
const folder = args[0] === "--to" ? resolve(args.splice(0, 2)[1] ?? "") : join(ROOT, "dist/release");
await release(folder, args.length > 0 ? args : TARGETS);
console.log(`${folder}: ${RELEASE}, commit ${releaseInfo().commit}`);
