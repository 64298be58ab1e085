import { CommanderError } from "commander";
import { PlantstoreError, PlantstoreUnreachable } from "#client/error.ts";
import { errorNumber } from "#contract/errors.ts";
import { Failure, UnusableDatabase } from "#core/failure.ts";
import { handover } from "#server/process/handover.ts";
import { ownUserName } from "#server/process/user-name.ts";
import { InvalidSetting } from "#server/settings.ts";
import { Interrupted } from "./interrupt.ts";
import { printNote } from "./output.ts";
import { withoutSecrets } from "./secrets.ts";

/** `interrupted` is what shells use for a process ended by SIGINT: 128 plus the number of the signal. */
const EXIT_CODES = { failed: 1, wrongUsage: 2, interrupted: 130 } as const;

export class UsageError extends Error {}

/**
 * Prints the problem in one line, never with a stack or a secret, and returns the exit code. As JSON, `error` is the number
 * of the API's error table where it has one for the problem, and the exit code otherwise. With `asLog` it has the members of a
 * line of the log too, for a service that does not start.
 */
export function reportFailure(error: unknown, json = false, asLog = false): number {
  const code = exitCode(error);
  if (code === 0) return 0;
  const message = withoutSecrets(messageOf(error));
  const line = { error: numberOf(error) ?? code, message };
  if (asLog) printNote(JSON.stringify({ level: "error", time: new Date().toISOString(), msg: message, ...line }));
  else if (json) printNote(JSON.stringify(line));
  // Commander has printed it.
  else if (!(error instanceof CommanderError)) printNote(`plantstore: ${message}${referenceOf(error)}`);
  return code;
}

function exitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.wrongUsage;
  if (error instanceof Interrupted) return EXIT_CODES.interrupted;
  // An operator's command hands on what was typed, and the rules of the service refuse it as it is.
  const isMistyped = error instanceof Failure && error.code === "member-invalid";
  const isMisused = isMistyped || [UsageError, InvalidSetting, UnusableDatabase].some((kind) => error instanceof kind);
  return isMisused ? EXIT_CODES.wrongUsage : EXIT_CODES.failed;
}

/** The number of the refusal that the problem is, or that has caused it. */
function numberOf(error: unknown): number | undefined {
  if (error instanceof PlantstoreError) return error.error;
  if (error instanceof Failure) return errorNumber(error);
  return error instanceof Error && error.cause !== undefined ? numberOf(error.cause) : undefined;
}

function referenceOf(error: unknown): string {
  if (!(error instanceof PlantstoreError)) return "";
  return ` (${error.error}${error.requestId ? `, request ${error.requestId}` : ""})`;
}

/** The problems of the system that a person can do something about, in words. */
const SYSTEM_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EISDIR: "is a folder",
  ENOTDIR: "is no folder, or in none",
  EROFS: "is on a disk that cannot be written",
  ENOSPC: "has no space left on its disk",
};

/** The problem in words, which may hold a secret. */
export function messageOf(error: unknown): string {
  if (error instanceof CommanderError) return commanderMessage(error);
  if (!(error instanceof Error)) return String(error);
  if (error instanceof PlantstoreUnreachable && error.reason === "network")
    return `${error.message}; --url or PLANTSTORE_URL names another address`;
  const { code = "", path } = error as NodeJS.ErrnoException;
  const problem = code === "EACCES" || code === "EPERM" ? closedToUser() : SYSTEM_PROBLEMS[code];
  return problem === undefined || path === undefined ? error.message : `${path} ${problem}`;
}

function closedToUser(): string {
  const { typedBy } = handover();
  return `is not open to the user ${ownUserName()}${typedBy === undefined ? "" : `, as whom ${typedBy} runs this command`}`;
}

function commanderMessage({ code, message }: CommanderError): string {
  return code === "commander.help" ? "Name a command; --help lists them" : message.replace(/^error: /, "");
}
