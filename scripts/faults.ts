import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runAtEnd } from "../test/support/at-end.ts";
import { prepareDatabases } from "../test/support/prepared-databases.ts";
import { type Fault, plantedFaults } from "./planted-faults.ts";
import { processesIn } from "./processes-in.ts";

/**
 * `npm run faults [-- WORD…]` plants the faults of planted-faults.txt that hold one of the words, one at a time, in a copy of
 * the checkout, and says which ones no test catches, or only a time limit, and fails for those. It is not part of the gate,
 * which checks alone that each fault can be planted: it runs some tests of each room again for each fault.
 */
const ROOT = join(import.meta.dir, "..");
/** A broken guarantee is told by its sentence, and that soon. */
const TOLD_MS_MAX = 90_000;

const words = process.argv.slice(2);
const chosen = plantedFaults().filter(
  (fault) => words.length === 0 || words.some((word) => Object.values(fault).join(" ").includes(word)),
);
const folder = mkdtempSync(join(tmpdir(), "plantstore-faults-"));
const copy = join(folder, "checkout");
const problems: string[] = [];
try {
  copyCheckout();
  const environment = { ...process.env, TMPDIR: folder, ...(await prepareDatabases(folder, 1)) };
  for (const fault of chosen) await plant(fault, environment);
} finally {
  await runAtEnd();
  // A run that ends with its first failure leaves its services and its disks.
  for (const { pid } of processesIn(folder)) process.kill(pid, "SIGKILL");
  for (const disk of disksIn(folder)) Bun.spawnSync(["umount", disk]);
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${chosen.length} faults, ${problems.length} not caught as they should be`);
for (const problem of problems) console.log(problem);
process.exit(problems.length === 0 ? 0 : 1);

/** The folders within it on which a disk is mounted. */
function disksIn(folder: string): string[] {
  const mounts = existsSync("/proc/mounts") ? readFileSync("/proc/mounts", "utf8") : "";
  return [...mounts.matchAll(/^\S+ (\S+)/gm)]
    .map(([, place = ""]) => place)
    .filter((place) => place.startsWith(folder));
}

/** The files that git knows or would take. */
function copyCheckout(): void {
  const listed = Bun.spawnSync(["git", "ls-files", "-co", "--exclude-standard"], { cwd: ROOT }).stdout.toString();
  for (const path of listed.trim().split("\n")) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path), { force: true });
  }
  for (const name of ["node_modules", "dist"]) symlinkSync(join(ROOT, name), join(copy, name));
}

async function plant({ path, before, after, tests }: Fault, env: Record<string, string | undefined>): Promise<void> {
  const file = join(copy, path);
  const text = await Bun.file(file).text();
  const name = `${path}: ${before.trim()} → ${after.trim() || "nothing"}`;
  await Bun.write(
    file,
    text.replace(before, () => after),
  );
  const began = performance.now();
  const outcome = await outcomeOf(tests, env);
  await Bun.write(file, text);
  const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  if (outcome.startsWith("(fail)")) console.log(`caught in ${seconds}: ${name}\n  ${outcome}`);
  else report(`${name}: ${outcome}, in ${seconds}`);
}

/** The line of the first test that failed, or the reason why there is none. */
async function outcomeOf(tests: readonly string[], env: Record<string, string | undefined>): Promise<string> {
  const child = Bun.spawn([process.execPath, "test", "--isolate", "--bail", ...tests.map((test) => `./${test}`)], {
    cwd: copy,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: TOLD_MS_MAX,
    killSignal: "SIGKILL",
  });
  const printed = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const output = Bun.stripANSI(printed.join("\n"));
  await child.exited;
  const told = /^\(fail\) .*/m.exec(output)?.[0];
  if (child.signalCode) return `told by the time limit of ${TOLD_MS_MAX / 1000} s`;
  if (told) return told;
  return /^ *[1-9]\d* pass$/m.test(output) ? "no test fails" : `no test ran: ${output.slice(-300)}`;
}

function report(problem: string): void {
  problems.push(problem);
  console.log(problem);
}
