import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { HARD_PLANTS_PROGRAM, installClient } from "#test/support/installed-client.ts";
import { ROOT, startService, temporaryFolder } from "#test/support/service.ts";

/**
 * `scripts/clients/runtimes`: installs the archive of the client into an empty project and runs a program with it on
 * runtimes that the tests may lack. Each is fetched once from npm, into `dist/runtimes` (80 to 130 MB).
 */
const RUNTIMES = [
  { name: "node22", package: "node@22", command: ["node"] },
  { name: "node24", package: "node@24", command: ["node"] },
  { name: "deno", package: "deno@2", command: ["deno", "run", "--allow-all"] },
] as const;

const folder = temporaryFolder();
installClient(folder);
const service = await startService();
try {
  for (const { name, package: wanted, command } of RUNTIMES) {
    const [program, ...options] = command;
    const path = await fetched(name, wanted, program);
    const env = { PATH: process.env.PATH ?? "", PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await service.token() };
    const child = Bun.spawn([path, ...options, HARD_PLANTS_PROGRAM], {
      cwd: folder,
      env,
      stdout: "ignore",
      stderr: "inherit",
    });
    const works = (await child.exited) === 0;
    console.log(`${wanted}: ${works ? "writes and reads every hard plant exactly" : "the program failed"}`);
    if (!works) process.exitCode = 1;
  }
} finally {
  await service.stop();
}

/** The path of the runtime's program. */
async function fetched(name: string, wanted: string, program: string): Promise<string> {
  const cwd = join(ROOT, "dist/runtimes", name);
  const path = join(cwd, "node_modules/.bin", program);
  if (existsSync(path)) return path;
  mkdirSync(cwd, { recursive: true });
  await Bun.write(join(cwd, "package.json"), '{"private":true}');
  const child = Bun.spawn(["npm", "install", "--silent", "--no-audit", "--no-fund", wanted], {
    cwd,
    stderr: "inherit",
  });
  if ((await child.exited) !== 0 || !existsSync(path)) throw new Error(`${wanted} could not be fetched from npm`);
  return path;
}
