import { type Mock, spyOn } from "bun:test";
import os from "node:os";
import { runCommandLine } from "#cli/program.ts";
import type { CommandOutcome } from "./process.ts";

export interface StartedCommand {
  /** Standard output so far. */
  out(): string;
  readonly ended: Promise<CommandOutcome>;
}

/**
 * Runs a command line in this process, as `cli/main.ts` does, with these variables besides the environment's own. It takes
 * a few milliseconds where a process takes some hundred, so that every misuse can have a test.
 */
export function runInProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandOutcome> {
  return startInProcess(args, environment).ended;
}

/** The same for a command that goes on until Ctrl-C, whose output a test waits for. */
export function startInProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): StartedCommand {
  const written = { out: "", problem: "" };
  const spies = [
    captured(console, "log", (text) => {
      written.out += `${text}\n`;
    }),
    captured(console, "error", (text) => {
      written.problem += `${text}\n`;
    }),
    captured(process.stdout, "write", (text) => {
      written.out += text;
    }),
    captured(process.stderr, "write", (text) => {
      written.problem += text;
    }),
    // The tests that come after a backup have the usual priority.
    spyOn(os, "setPriority").mockImplementation(() => {}),
  ];
  const restoreEnvironment = withEnvironment(environment);
  const ended = runCommandLine(args).finally(() => {
    for (const spy of spies) spy.mockRestore();
    restoreEnvironment();
    process.exitCode = 0;
  });
  return { out: () => written.out, ended: ended.then((code) => ({ code, ...written })) };
}

function captured<Name extends string>(
  stream: Record<Name, (...values: never[]) => unknown>,
  name: Name,
  add: (text: string) => void,
): Mock<(...values: never[]) => unknown> {
  return spyOn(stream, name).mockImplementation((value: unknown) => {
    add(value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value));
    return true;
  });
}

/** The variables outside of any command, also where one starts before another has ended. */
const OWN_ENVIRONMENT = { ...process.env };

function withEnvironment(environment: Readonly<Record<string, string>>): () => void {
  Object.assign(process.env, environment);
  return () => {
    for (const name of Object.keys(environment)) {
      const value = OWN_ENVIRONMENT[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
