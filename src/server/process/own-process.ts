import { unlessAborted } from "#core/deadline.ts";
import { RUNTIME } from "./packed.ts";

/** The command line that runs this program again, for work that belongs in a separate process. */
export function ownCommand(...args: readonly string[]): string[] {
  // A single-file executable has its entry point in a virtual file system.
  return [...RUNTIME, ...(Bun.main.startsWith("/$bunfs/") ? [] : [Bun.main]), ...args];
}

/**
 * Runs a command of this program in a separate process, so that the serving thread never waits, and resolves with what it has
 * printed. A stop of the service does not wait for the process, which removes what it has made and ends by itself.
 */
export async function runOwn<Printed>(signal: AbortSignal, ...args: readonly string[]): Promise<Printed> {
  signal.throwIfAborted();
  // By default the runtime passes on the environment that it was started with, without what a file of settings added.
  const options = { env: process.env, stdin: "ignore", stdout: "pipe", stderr: "pipe", signal } as const;
  const child = Bun.spawn(ownCommand(...args, "--json"), options);
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const;
  const [output, notes, code] = await unlessAborted(Promise.all([...texts, child.exited]), signal);
  if (code !== 0) throw new Error(problemIn(notes) || `plantstore ${args.join(" ")} ended with exit code ${code}`);
  return JSON.parse(output);
}

/** The last line of a command that has failed. */
function problemIn(notes: string): string | undefined {
  const line = notes.trim().split("\n").at(-1);
  try {
    return JSON.parse(line ?? "").message;
  } catch {
    return line;
  }
}
