import { hostname } from "node:os";

/** The name of this process as a holder of leases: its machine, its process id and a random part. */
export function nodeName(random: string): string {
  return `${hostname()}/${process.pid}/${random}`;
}

/** True if the process with that name ran on this machine and has ended. */
export function hasEnded(name: string): boolean {
  const [host, pid] = name.split("/");
  if (host !== hostname() || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
