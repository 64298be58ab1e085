/** Counts a system's calls of fsync and fdatasync with strace, to see that it waits for its disk. */
import { resolve } from "node:path";
import { loadCore, tree } from "./process.ts";
import type { Service } from "./service.ts";

const creates = 20;
const firstId = 9e12;

/** Undefined if strace is not installed or may not attach. */
export async function syncsPerCreate(service: Service): Promise<number | undefined> {
  if (!Bun.which("strace")) return undefined;
  const record = resolve(service.place.data, "syncs.txt");
  const targets = service.roots.flatMap(tree).flatMap((pid) => ["-p", String(pid)]);
  const strace = ["taskset", "-c", loadCore, "strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", record];
  const child = Bun.spawn([...strace, ...targets], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  await Bun.sleep(500);
  if (child.exitCode !== null) return undefined;
  for (let count = 0; count < creates; count++) {
    const id = String(firstId + count);
    const answer = await service.create(service.peer.body({ id, name: `plant ${id}`, tag: "tree" }));
    await answer.arrayBuffer();
  }
  child.kill("SIGINT");
  await child.exited;
  const text = await Bun.file(record).text();
  return (text.match(/\bf(data)?sync\(/g) ?? []).length / creates;
}
