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
  /** In place of creates: a path that a page asks for, with the cookies of its session. */
  readonly page?: { readonly path: string; readonly cookie: string };
  /** The core of the load generator; "any" leaves it to the system. */
  readonly core?: number | "any";
}

export async function runLoad(load: Load): Promise<LoadResult> {
  const script = join(import.meta.dir, "create.lua");
  const options = ["-t1", `-c${load.connections}`, `-d${load.seconds}s`, "--timeout", "10s", "-s", script];
  const { path = "/v1/plants", cookie } = load.page ?? {};
  const child = Bun.spawn(onCore(load.core ?? 1, ["wrk", ...options, load.url + path]), {
    env: { ...process.env, TOKEN: load.token, FIRST_ID: String(load.firstId ?? ""), ...(cookie && { COOKIE: cookie }) },
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(child.stdout).text();
  const line = output.split("\n").find((text) => text.startsWith("RESULT "));
  if (!line) throw new Error(`wrk gave no result: ${output}`);
  return JSON.parse(line.slice("RESULT ".length));
}

/** Creates by one token on one service; the ids of each run follow those of the run before, unless they are random. */
export class Creates {
  /** The number that were answered with success. */
  answered = 0;

  constructor(
    private readonly to: Pick<Load, "url" | "token" | "core"> & { readonly random?: boolean },
    private nextId = 1,
  ) {}

  async run(connections: number, seconds: number): Promise<LoadResult> {
    const firstId = this.to.random ? undefined : this.nextId;
    const result = await runLoad({ ...this.to, connections, seconds, firstId });
    // Those that were open at the end took ids too.
    this.nextId += result.requests + 100_000;
    this.answered += result.requests - result.refused;
    return result;
  }
}

/** Usually the server has core 0 and the load generator core 1. */
export function onCore(core: number | "any", command: string[]): string[] {
  return core !== "any" && Bun.which("taskset") ? ["taskset", "-c", String(core), ...command] : command;
}

export function requireWrk(): void {
  if (!Bun.which("wrk"))
    throw new Error("This needs the load generator wrk (Debian: apt-get install wrk; macOS: brew install wrk)");
}
