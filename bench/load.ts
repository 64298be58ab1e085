import { join } from "node:path";

/** One run of wrk (https://github.com/wg/wrk) against one address. Latencies are milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly refused: number;
  /** Connections that ended before their answer. */
  readonly broken: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

export interface Load {
  readonly url: string;
  readonly token: string;
  readonly connections: number;
  readonly seconds: number;
  /** The first of sequential ids; undefined for random ids. */
  readonly firstId: number | undefined;
}

/** On two cores the load generator has one of its own, and the server the other (see `onCore`). */
export async function runLoad(load: Load): Promise<LoadResult> {
  const script = join(import.meta.dir, "create.lua");
  const options = ["-t1", `-c${load.connections}`, `-d${load.seconds}s`, "--timeout", "10s", "-s", script];
  const child = Bun.spawn(onCore(1, ["wrk", ...options, `${load.url}/v1/plants`]), {
    env: { ...process.env, TOKEN: load.token, FIRST_ID: String(load.firstId ?? "") },
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(child.stdout).text();
  const line = output.split("\n").find((text) => text.startsWith("RESULT "));
  if (!line) throw new Error(`wrk gave no result: ${output}`);
  return JSON.parse(line.slice("RESULT ".length));
}

export function onCore(core: number, command: string[]): string[] {
  return Bun.which("taskset") ? ["taskset", "-c", String(core), ...command] : command;
}

export function requireWrk(): void {
  if (!Bun.which("wrk"))
    throw new Error("This needs the load generator wrk (Debian: apt-get install wrk; macOS: brew install wrk)");
}
