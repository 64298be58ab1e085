import { CommanderError } from "commander";
import { PlantstoreError } from "#client/error.ts";
import { WrongSetting } from "#server/settings.ts";
import { Interrupted } from "./interrupt.ts";

/** Exit codes of every command. */
const FAILED = 1;
const WRONG_USAGE = 2;
/** As shells count a process that SIGINT ended: 128 and the signal's number. */
const INTERRUPTED = 130;

/** What was typed cannot be meant. */
export class WrongUsage extends Error {}

/** Says in one line what went wrong, never with a stack, and gives the exit code. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  console.error(`plantstore: ${messageOf(error)}`);
  if (error instanceof Interrupted) return INTERRUPTED;
  return error instanceof WrongUsage || error instanceof WrongSetting ? WRONG_USAGE : FAILED;
}

function messageOf(error: unknown): string {
  if (error instanceof PlantstoreError) {
    return `${error.message} (${error.error}${error.requestId ? `, request ${error.requestId}` : ""})`;
  }
  return error instanceof Error ? error.message : String(error);
}
