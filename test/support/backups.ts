import { randomBytes } from "node:crypto";
import { runInProcess } from "./run-in-process.ts";
import { COMMAND, type TestService } from "./service.ts";

export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
  readonly problem: string;
}

/** What a command on a service's database needs, whether the service runs or not. */
type OfService = Pick<TestService, "environment" | "folder">;

/** Starts `plantstore backup …` on the service's database, with more settings. */
export function startBackupCommand(service: OfService, args: readonly string[], settings: Record<string, string> = {}) {
  return Bun.spawn([COMMAND, "backup", ...args], {
    cwd: service.folder,
    env: { ...service.environment, ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Runs it to its end in this process, so one at a time. */
export async function runBackupCommand(
  { environment }: Pick<OfService, "environment">,
  args: readonly string[],
  settings?: Record<string, string>,
): Promise<CommandResult> {
  const { code, out, problem } = await runInProcess(["backup", ...args], { ...environment, ...settings });
  // The entries of the audit log are there too.
  const problems = problem.split("\n").filter((line) => !line.includes('"msg":"audit"'));
  return { exitCode: code, output: out.trim(), problem: problems.join("\n").trim() };
}

const FIRST_BULK_ID = 1_000_000_000;

/**
 * Adds this many MiB of plants, with names that do not compress well. Resolves with their ids, which no other creates
 * use.
 */
export async function addBulk(service: TestService, token: string, mebibytes: number): Promise<number[]> {
  const names = Array.from({ length: mebibytes * 16 }, () => randomBytes(48 * 1024).toString("base64"));
  const headers = { "Content-Type": "application/x-ndjson" };
  const body = names.map((name, index) => `{"id":${FIRST_BULK_ID + index},"name":"${name}"}`).join("\n");
  const answer = await service.send("POST", "/v1/plants", { as: token, headers, body });
  if (answer.status !== 200) throw new Error(`The import was answered ${answer.status}`);
  return names.map((_, index) => FIRST_BULK_ID + index);
}
