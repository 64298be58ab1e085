import { join } from "node:path";

/**
 * `npm ci` runs this at its end. npm has installed what the service runs on, Bun among it, and leaves the packages of
 * development out (`.npmrc`): Bun installs those, in the versions of package-lock.json, in a tenth of the time. Where Bun
 * cannot, npm does. Then the dashboard is built.
 */
const ROOT = join(import.meta.dir, "..");
const BUN = [process.execPath, "install", "--frozen-lockfile", "--no-save"];
const NPM = ["npm", "install", "--include=dev", "--no-save"];
/** Set for the installers, which run this script too, within themselves. */
const WITHIN = "PLANTSTORE_PREPARING";
/** An installer that waits for a registry in vain is given up. */
const MS_MAX = 5 * 60_000;

if (process.env[WITHIN] === undefined) {
  const installed = run(BUN) || run(NPM);
  process.exitCode = installed && run([process.execPath, "src/server/bundle/build.ts"]) ? 0 : 1;
}

/** npm says `NODE_ENV=production` to a script while it leaves packages out; an installer that heard it would too. */
function run(command: readonly string[]): boolean {
  const { NODE_ENV: _, ...env } = { ...process.env, [WITHIN]: "yes" };
  return Bun.spawnSync([...command], { cwd: ROOT, env, stdout: "inherit", stderr: "inherit", timeout: MS_MAX }).success;
}
