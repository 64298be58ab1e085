import { readdirSync, readFileSync } from "node:fs";
import type { Labels } from "#core/metrics.ts";
import type { Series } from "./figures.ts";

const STARTED_S = (Date.now() - performance.now()) / 1000;

/** `build` names the version of what runs, and its runtime. */
export function* processSeries(build: Labels): Generator<Series> {
  const { user, system } = process.cpuUsage();
  yield { name: "process_cpu_seconds_total", value: (user + system) / 1e6 };
  yield { name: "process_resident_memory_bytes", value: process.memoryUsage.rss() };
  yield { name: "process_start_time_seconds", value: STARTED_S };
  const descriptors = openDescriptors();
  if (descriptors !== undefined) yield { name: "process_open_fds", value: descriptors };
  const allowed = descriptorsAllowed();
  if (allowed !== undefined) yield { name: "process_max_fds", value: allowed };
  yield { name: "plantstore_build_info", labels: build, value: 1 };
}

/** The limit that holds (prlimit(2)); undefined on systems without /proc, and without a limit. */
export function descriptorsAllowed(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** Undefined on systems without /proc. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
