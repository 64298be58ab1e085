/** The machine as the page describes it, with the latency of its disk's fsync, which bounds every durable create. */
import { cpus, release, totalmem } from "node:os";
import { fsyncTimes, median } from "../../median.ts";
import { home, node } from "./place.ts";
import { run } from "./process.ts";

export type Machine = Awaited<ReturnType<typeof describeMachine>>;

export async function describeMachine() {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    fsyncMs: median(await fsyncTimes(home)),
    bun: Bun.version,
    node: (await run({ arguments: [node(), "--version"] }, 10)).trim().slice(1),
    go: (await run({ arguments: ["go", "env", "GOVERSION"] }, 10).catch(() => "none")).trim().replace("go", ""),
    wrk: await wrkVersion(),
  };
}

async function wrkVersion(): Promise<string> {
  // wrk prints its version with its usage and exits with 1.
  const child = Bun.spawn(["wrk", "--version"], { stdout: "pipe", stderr: "ignore" });
  const text = await new Response(child.stdout).text();
  return /^wrk (?:debian\/)?(\S+)/.exec(text)?.[1] ?? "unknown";
}
