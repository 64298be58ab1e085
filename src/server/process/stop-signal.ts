import { readFileSync } from "node:fs";
import { constants } from "node:os";

const controller = new AbortController();

/** Aborted when the process is told to stop by SIGTERM, SIGINT or SIGHUP, with the signal's name as the reason. */
export const stopSignal = controller.signal;

/**
 * Called before the rest of the program is loaded, which takes a while: process 1 of a container loses every signal that
 * comes before there is a handler. Where SIGHUP was ignored, as under nohup, a handler ignores it from now on: the runtime
 * restores the default when it starts a process.
 */
export function watchForStop(): void {
  const ignored = isIgnored("SIGHUP");
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => controller.abort(name));
  process.on("SIGHUP", () => ignored || controller.abort("SIGHUP"));
}

/** Reads the kernel's mask of ignored signals (proc(5)); false on systems without /proc. */
function isIgnored(name: "SIGHUP"): boolean {
  try {
    const [, mask = "0"] = /^SigIgn:\s+([0-9a-f]+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[name] - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}
