import { HARD_PLANTS_PROGRAM, installClient } from "#test/support/installed-client.ts";
import { startService, temporaryFolder } from "#test/support/service.ts";

/**
 * `scripts/clients/runtimes`: installs the archive of the client into an empty project and runs a program with it on
 * runtimes that the tests may lack, which npx fetches (80 to 130 MB each).
 */
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  "node@22": ["node"],
  "node@24": ["node"],
  "deno@2": ["deno", "run", "--allow-all"],
};

const folder = temporaryFolder();
installClient(folder);
const service = await startService();
try {
  for (const [wanted, command] of Object.entries(RUNTIMES)) {
    const env = { ...process.env, PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await service.token() };
    const child = Bun.spawn(["npx", "--yes", "--package", wanted, "--", ...command, HARD_PLANTS_PROGRAM], {
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
