import { CommanderError } from "commander";
import { WrongSetting } from "#server/settings.ts";

/** Exit codes of every command. */
const FAILED = 1;
const WRONG_USAGE = 2;

/** What was typed cannot be meant. */
export class WrongUsage extends Error {}

/** Says in one line what went wrong, never with a stack, and gives the exit code. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  const message = error instanceof Error ? error.message : String(error);
  console.error(`plantstore: ${message}`);
  return error instanceof WrongUsage || error instanceof WrongSetting ? WRONG_USAGE : FAILED;
}
