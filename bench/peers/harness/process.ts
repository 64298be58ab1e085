/** Starts, watches and ends processes, always by their ids. */
import { readFileSync } from "node:fs";
import type { Command } from "#peer/peer.ts";
import { outcomeOf } from "../../../test/support/process.ts";
import { tree } from "../../processor-time.ts";

/** Servers and their databases run on one core; the load generator and this program on the other. */
export const serverCore = "0";
export const loadCore = "1";

export interface Running {
  pid: number;
  exited: Promise<number>;
}

/** The running servers, so that an interrupted comparison leaves none behind. */
const started = new Set<number>();
process.on("exit", () => {
  for (const pid of started) killTree(pid, "SIGKILL");
});
process.once("SIGTERM", () => process.exit(143));
process.once("SIGINT", () => process.exit(130));

export function start(command: Command, logFile: string): Running {
  const child = Bun.spawn(["taskset", "-c", serverCore, ...command.arguments], {
    ...placeOf(command),
    stdio: ["ignore", Bun.file(logFile), Bun.file(logFile)],
  });
  started.add(child.pid);
  child.exited.then(() => started.delete(child.pid));
  return { pid: child.pid, exited: child.exited };
}

/** Keeps this program and everything that it runs off the servers' core. `start` moves a server back to it. */
export async function leaveServerCore(): Promise<void> {
  await run({ arguments: ["taskset", "-acp", loadCore, String(process.pid)] }, 5);
}

/** Runs a command to its end. Rejects with the last lines of its output if it fails or takes too long. */
export async function run(command: Command, secondsMax: number): Promise<string> {
  const child = Bun.spawn(command.arguments, { ...placeOf(command), stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => killTree(child.pid, "SIGKILL"), secondsMax * 1000);
  const { out, problem, code } = await outcomeOf(child);
  clearTimeout(timer);
  if (code === 0) return out;
  throw new Error(`${command.arguments.slice(0, 4).join(" ")} ended with ${code}: ${lastLines(problem || out)}`);
}

function placeOf({ folder, environment }: Command) {
  return { cwd: folder, env: { ...process.env, ...environment } };
}

export function lastLines(text: string, count = 6): string {
  return text.trim().split("\n").slice(-count).join(" | ").slice(-600);
}

export function killTree(pid: number, signal: NodeJS.Signals): void {
  for (const member of tree(pid)) {
    try {
      process.kill(member, signal);
    } catch {
      // It ended between the listing and the signal.
    }
  }
}

/** Sends SIGTERM, and SIGKILL after ten seconds. */
export async function stop(running: Running): Promise<void> {
  const members = tree(running.pid);
  killTree(running.pid, "SIGTERM");
  const ended = await Promise.race([running.exited.then(() => true), Bun.sleep(10_000).then(() => false)]);
  if (!ended) killTree(running.pid, "SIGKILL");
  await running.exited;
  for (const member of members) await gone(member);
}

async function gone(pid: number): Promise<void> {
  for (let tries = 0; tries < 100 && tree(pid).length > 0; tries++) await Bun.sleep(20);
}

/** The resident memory of these processes and their descendants, in MiB. A page that several of them share counts once. */
export function residentMiB(roots: readonly number[]): number {
  return roots.flatMap(tree).reduce((total, pid) => total + proportionalMiB(pid), 0);
}

function proportionalMiB(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    // It has ended by now.
    return 0;
  }
}
