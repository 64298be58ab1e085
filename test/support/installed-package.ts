import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { networkSettings, type RunningProgram, runProgram, startProgram, withoutRepository } from "./program.ts";

interface InstalledPackage {
  /** The command line that the package brings. */
  readonly command: string[];
  readonly running: RunningProgram;
}

/** Installs the service's npm package in a new folder, and starts its server out of reach of the repository. */
export async function installAndStart(
  archive: string,
  home: string,
  settings: Record<string, string> = {},
): Promise<InstalledPackage> {
  mkdirSync(home);
  await Bun.write(join(home, "package.json"), "{}");
  const install = ["npm", "install", "--ignore-scripts", "--prefer-offline", "--no-audit", archive];
  await runProgram(install, home, { settings: networkSettings() });
  const command = withoutRepository(join(home, "node_modules/.bin/plantstore"));
  return { command, running: await startProgram(command, home, settings) };
}
