import { closeSync, openSync } from "node:fs";
import { InvalidSetting, readSettings } from "../settings.ts";
import { ownCommand } from "./own-process.ts";
import { isRunning, readPidFile, type ServerProcess } from "./pid-file.ts";
import { differingSettings } from "./running-settings.ts";
import { type TakenOver, takeOverFile } from "./take-over.ts";

/**
 * Starts a server that replaces the one running on the same database, and resolves with the process ids of both when the
 * old one has left. The error of a restart that did not complete says what has become of the old server. Throws
 * InvalidSetting, and changes nothing, if this process has other settings and may not take them.
 */
export async function restartServer({ newSettings = false } = {}) {
  const settings = readSettings(process.env);
  const path = settings.DATABASE_URL.replace(/^sqlite:/, "");
  const file = takeOverFile(settings);
  const [running] = readPidFile(file);
  if (!running) {
    throw new Error(
      `No server that can hand over runs on ${settings.DATABASE_URL}; start one with \`plantstore serve --take-over\` or TAKE_OVER=1`,
    );
  }
  const differing = newSettings ? [] : differingSettings(file, process.env);
  if (differing.length > 0) {
    throw new InvalidSetting(
      `The running server (${running.pid}) has other settings: ${differing.join(", ")}. Set them alike, or add --new-settings`,
    );
  }
  const { pid, port, from } = await startBeside(running, `${path}.log`);
  // A little longer than the handover of a server takes while a long import is running.
  const deadline = performance.now() + 75_000;
  while (from.some(isRunning) && performance.now() < deadline) await Bun.sleep(20);
  const left = from.find(isRunning);
  if (left) throw new Error(`${pid} serves, and the old server (${left.pid}) has not left yet`);
  return { pid, port, replaced: (from[0] ?? running).pid };
}

/** Starts a process that outlives this one and logs where the old server does. Resolves when it has taken over. */
async function startBeside(old: ServerProcess, log: string): Promise<TakenOver & { readonly pid: number }> {
  const { promise: taking, resolve } = Promise.withResolvers<TakenOver | undefined>();
  const outputs = [outputOf(old, 1, log), outputOf(old, 2, log)] as const;
  const child = Bun.spawn(ownCommand("serve", "--take-over"), {
    detached: true,
    env: process.env,
    stdio: ["ignore", ...outputs],
    ipc: resolve,
    onExit: () => resolve(undefined),
  });
  for (const fd of outputs) closeSync(fd);
  // Enough also where several servers start at once, one after the other.
  const late = setTimeout(resolve, 120_000);
  const taken = await taking;
  clearTimeout(late);
  child.unref();
  if (taken) return { pid: child.pid, ...taken };
  child.kill();
  throw new Error(`The new server did not start, and its log says why; the old one (${old.pid}) goes on`);
}

/** A socket, such as the journal's, cannot be opened by its name; then the log is a file beside the database. */
function outputOf({ pid }: ServerProcess, fd: 1 | 2, log: string): number {
  try {
    return openSync(`/proc/${pid}/fd/${fd}`, "a");
  } catch {
    return openSync(log, "a", 0o600);
  }
}
