import { readdirSync, readFileSync } from "node:fs";

const TICKS_A_SECOND = 100;

/** Seconds of processor time that a process has taken until now, with all of its threads (proc(5), /proc/pid/stat). */
export function processorSeconds(pid: number): number {
  const [user = 0, system = 0] = fieldsOf(pid).slice(11).map(Number);
  return (user + system) / TICKS_A_SECOND;
}

/** The same for a process and all below it, including its children that ended and were waited for. */
export function familySeconds(pid: number): number {
  const [user = 0, system = 0] = fieldsOf(pid).slice(13).map(Number);
  return tree(pid).reduce((seconds, each) => seconds + processorSeconds(each), (user + system) / TICKS_A_SECOND);
}

/** The bytes that a process and all below it have written to files (proc(5), /proc/pid/io, write_bytes). */
export function familyWrittenBytes(pid: number): number {
  const written = (each: number) =>
    Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${each}/io`, "utf8"))?.[1] ?? 0);
  return tree(pid).reduce((bytes, each) => bytes + written(each), 0);
}

/** The process and all its descendants, parents first; none if it has ended. */
export function tree(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const children = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")).join(" ");
    return [pid, ...(children.match(/\d+/g) ?? []).flatMap((child) => tree(Number(child)))];
  } catch {
    return [];
  }
}

/** The fields of /proc/pid/stat from the third on; none if the process has ended. */
function fieldsOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.replace(/^.*\) /s, "").split(" ");
  } catch {
    return [];
  }
}
