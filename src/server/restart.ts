import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { ownCommand } from "./packed.ts";
import { isRunning, pidFile, readPidFile, type ServerProcess } from "./pid-file.ts";
import { readSettings } from "./settings.ts";

/** A restart that did not complete; the message says what has become of the old server. */
class RestartProblem extends Error {}

const START_MS_MAX = 30_000;
/** A little longer than the handover of a server takes while a long import is running. */
const LEAVE_MS_MAX = 75_000;
const LOOK_EVERY_MS = 20;

export interface Restarted {
  readonly pid: number;
  readonly port: number;
  readonly replaced: number;
}

/** Starts a server that replaces the one running on the same database, and resolves when the old one has left. */
export async function restartServer(environment: Readonly<Record<string, string | undefined>>): Promise<Restarted> {
  const { DATABASE_URL: url } = readSettings(environment);
  const path = url.replace(/^sqlite:/, "");
  const file = pidFile(path);
  const old = readPidFile(file);
  if (!old) {
    throw new RestartProblem(
      `No server that can hand over runs on ${url}; start one with \`plantstore serve --take-over\` or TAKE_OVER=1`,
    );
  }
  const child = startBeside(old, `${path}.log`, environment);
  const started = () => (readPidFile(file)?.pid === child.pid ? readPidFile(file) : undefined);
  await until(() => child.exitCode !== null || started() !== undefined, START_MS_MAX);
  const server = started();
  if (!server) {
    child.kill();
    throw new RestartProblem(`The new server did not start, and its log says why; the old one (${old.pid}) goes on`);
  }
  await until(() => !isRunning(old), LEAVE_MS_MAX);
  if (isRunning(old))
    throw new RestartProblem(`${server.pid} serves, and the old server (${old.pid}) has not left yet`);
  return { pid: server.pid, port: server.port, replaced: old.pid };
}

/** A process that outlives this one, and writes its log where the old server does. */
function startBeside(old: ServerProcess, log: string, environment: Readonly<Record<string, string | undefined>>) {
  const [program = "", ...args] = ownCommand("serve", "--take-over");
  const [output, errors] = [outputOf(old, 1, log), outputOf(old, 2, log)];
  const child = spawn(program, args, { detached: true, stdio: ["ignore", output, errors], env: { ...environment } });
  for (const fd of [output, errors]) closeSync(fd);
  child.unref();
  return child;
}

/** A socket, such as the journal's, cannot be opened by its name; then the log is a file beside the database. */
function outputOf({ pid }: ServerProcess, fd: 1 | 2, log: string): number {
  try {
    return openSync(`/proc/${pid}/fd/${fd}`, "a");
  } catch {
    return openSync(log, "a", 0o600);
  }
}

async function until(holds: () => boolean, msMax: number): Promise<void> {
  const deadline = performance.now() + msMax;
  while (!holds() && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
}
