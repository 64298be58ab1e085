/** Counts a system's calls of fsync and fdatasync with strace, to see that it waits for its disk. */
import { resolve } from "node:path";
import { newPlant } from "#peer/peer.ts";
import { tree } from "../../processor-time.ts";
import { loadCore } from "./process.ts";
import type { Service } from "./service.ts";

const creates = 500;
const firstId = 9e12;
/** A system that never rests is counted with what it does besides. */
const quietSecondsMax = 60;

/**
 * Undefined if strace is not installed or may not attach. Whatever the system syncs while it creates is counted, but not
 * what earlier loads have left to it, such as the writing of an index.
 */
export async function syncsPerCreate(service: Service): Promise<number | undefined> {
  if (!Bun.which("strace")) return undefined;
  const record = resolve(service.place.data, "syncs.txt");
  const targets = service.roots.flatMap(tree).flatMap((pid) => ["-p", String(pid)]);
  const strace = ["taskset", "-c", loadCore, "strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", record];
  const child = Bun.spawn([...strace, ...targets], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  await Bun.sleep(500);
  if (child.exitCode !== null) return undefined;
  const earlier = await quiet(record);
  for (let count = 0; count < creates; count++) {
    await (await service.create(newPlant(String(firstId + count)))).arrayBuffer();
  }
  child.kill("SIGINT");
  await child.exited;
  return ((await syncs(record)) - earlier) / creates;
}

/** Resolves with the number of syncs so far when there was none for a second. */
async function quiet(record: string): Promise<number> {
  for (let count = -1, tries = 0; ; tries++) {
    const now = await syncs(record);
    if (now === count || tries === quietSecondsMax) return now;
    count = now;
    await Bun.sleep(1000);
  }
}

async function syncs(record: string): Promise<number> {
  return (await Bun.file(record).text()).match(/\bf(data)?sync\(/g)?.length ?? 0;
}
