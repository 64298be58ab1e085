import { readFileSync } from "node:fs";
import { DATABASE_HEADER } from "#http/routes/health.ts";
import { reachableHost } from "./health.ts";
import { userName } from "./user-name.ts";

/** Names the port's listener, for the end of a sentence: a Plantstore and its user, or another program. */
export async function holderOf(port: number, host: string): Promise<string> {
  if (!(await isPlantstore(port, host))) return "another program";
  const user = listeningUser(port);
  const ofUser = user === undefined ? "" : ` of the user ${userName(user)}`;
  return `another program, a Plantstore${ofUser}: stop it, or choose another port`;
}

async function isPlantstore(port: number, host: string): Promise<boolean> {
  for (const scheme of ["http", "https"]) {
    const url = `${scheme}://${reachableHost(host.split(",")[0] ?? "")}:${port}/readyz`;
    const options = { proxy: false, tls: { rejectUnauthorized: false }, signal: AbortSignal.timeout(1000) } as const;
    const answer = await fetch(url, options).catch(() => undefined);
    if (answer?.headers.has(DATABASE_HEADER)) return true;
  }
  return false;
}

const LISTENS = "0A";

/** Reads the kernel's list of sockets (proc(5)); undefined where there is none. */
function listeningUser(port: number): number | undefined {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  for (const list of ["tcp", "tcp6"]) {
    for (const line of linesOf(`/proc/net/${list}`)) {
      const [, local = "", , state, , , , uid] = line.trim().split(/\s+/);
      if (state === LISTENS && local.endsWith(`:${wanted}`)) return Number(uid);
    }
  }
  return undefined;
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}
