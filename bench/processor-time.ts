import { readdirSync, readFileSync } from "node:fs";

const TICKS_A_SECOND = 100;

/** Seconds of processor time that a process has taken until now, with all of its threads (proc(5), /proc/pid/stat). */
export function processorSeconds(pid: number): number {
  const { own } = statOf(String(pid));
  return own / TICKS_A_SECOND;
}

/** The same for a process and its children, including those that ended and were waited for. */
export function familySeconds(pid: number): number {
  let seconds = processorSeconds(pid) + endedChildrenSeconds(pid);
  for (const child of childSeconds(pid).values()) seconds += child;
  return seconds;
}

/** The same for each running child of a process, by the child's process id. */
export function childSeconds(pid: number): Map<number, number> {
  const children = new Map<number, number>();
  for (const each of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const child = statOf(each);
    if (child.parent === String(pid)) children.set(Number(each), child.own / TICKS_A_SECOND);
  }
  return children;
}

/** For the children of a process that ended and were waited for. */
export function endedChildrenSeconds(pid: number): number {
  return statOf(String(pid)).ended / TICKS_A_SECOND;
}

/** What a process and its running children have written to files until now (proc(5), /proc/pid/io, write_bytes). */
export function familyWrittenBytes(pid: number): number {
  const written = (each: number) =>
    Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${each}/io`, "utf8"))?.[1] ?? 0);
  return [pid, ...childSeconds(pid).keys()].reduce((bytes, each) => bytes + written(each), 0);
}

/** Seconds that all processors together were not idle, and seconds that the host gave to other machines. */
export function machineSeconds(): { readonly busy: number; readonly stolen: number } {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = (
    readFileSync("/proc/stat", "utf8").split("\n", 1)[0] ?? ""
  )
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softirq;
  return { busy: busy / TICKS_A_SECOND, stolen: stolen / TICKS_A_SECOND };
}

interface Stat {
  readonly parent: string;
  readonly own: number;
  /** For the children that ended and were waited for. */
  readonly ended: number;
}

function statOf(pid: string): Stat {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    return { parent: fields[1] ?? "", own: user + system, ended: endedUser + endedSystem };
  } catch {
    return { parent: "", own: 0, ended: 0 };
  }
}
