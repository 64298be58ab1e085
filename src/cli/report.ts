import { CommanderError } from "commander";
import { PlantstoreError } from "#client/error.ts";
import { InvalidSetting } from "#server/settings.ts";
import { Interrupted } from "./interrupt.ts";
import { printNote } from "./output.ts";

/** Exit codes of every command. */
const FAILED = 1;
const WRONG_USAGE = 2;
/** The exit code that shells use for a process ended by SIGINT: 128 plus the number of the signal. */
const INTERRUPTED = 130;

/** The command line is not valid. */
export class UsageError extends Error {}

/** Prints the problem in one line, never with a stack, and returns the exit code. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  printNote(`plantstore: ${messageOf(error)}`);
  if (error instanceof Interrupted) return INTERRUPTED;
  return error instanceof UsageError || error instanceof InvalidSetting ? WRONG_USAGE : FAILED;
}

function messageOf(error: unknown): string {
  if (error instanceof PlantstoreError) {
    return `${error.message} (${error.error}${error.requestId ? `, request ${error.requestId}` : ""})`;
  }
  return error instanceof Error ? error.message : String(error);
}
