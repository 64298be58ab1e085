import { readdirSync } from "node:fs";
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
  yield { name: "plantstore_build_info", labels: build, value: 1 };
}

/** Undefined on systems without /proc. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
