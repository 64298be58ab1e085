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
  /** The bound of random ids, in thousands of millions. */
  readonly randomBelow?: number;
  /** `firstId` is milliseconds, and 20 random bits follow them in each id. */
  readonly timeOrdered?: boolean;
  /** The core of the load generator; "any" leaves it to the system. */
  readonly core?: number | "any";
  readonly act?: "create" | "change" | "remove";
  /** Of changes: how many plants there are, with the ids from 1. */
  readonly plants?: number;
}

export async function runLoad(load: Load): Promise<LoadResult> {
  const options = ["-t1", `-c${load.connections}`, `-d${load.seconds}s`, "--timeout", "10s", "-s", SCRIPT];
  const child = Bun.spawn(onCore(load.core ?? 1, ["wrk", ...options, `${load.url}/v1/plants`]), {
    env: {
      ...process.env,
      TOKEN: load.token,
      FIRST_ID: String(load.firstId ?? ""),
      ACT: load.act,
      PLANTS: String(load.plants),
      ...(load.randomBelow && { RANDOM_BELOW: String(load.randomBelow) }),
      ...(load.timeOrdered && { TIME_ORDERED: "true" }),
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(child.stdout).text();
  const line = output.split("\n").find((text) => text.startsWith("RESULT "));
  if (!line) throw new Error(`wrk gave no result: ${output}`);
  return JSON.parse(line.slice("RESULT ".length));
}

const SCRIPT = join(import.meta.dir, "load.lua");
/** Plants that a run of removals finds: more than any service removes in that time. */
const REMOVED_A_SECOND_MAX = 12_000;
const IMPORTED_AT_ONCE = 100_000;

/**
 * Creates by one token on one service; the ids of each run follow those of the run before, unless they are random. Removals
 * are of plants that are imported before each run, changes of `plants` that are imported before the first.
 */
export class Creates {
  /** The number that were answered with success. */
  answered = 0;

  constructor(
    private readonly to: Pick<Load, "url" | "token" | "core" | "act" | "plants"> & { readonly random?: boolean },
    private nextId = 1,
  ) {}

  /** Imports the plants of the next run, which is no part of it. */
  async prepare(seconds: number): Promise<void> {
    const { act, plants = 0 } = this.to;
    if (act === "change" && this.nextId === 1) await importPlants(this.to, 1, plants);
    if (act === "remove") await importPlants(this.to, this.nextId, seconds * REMOVED_A_SECOND_MAX);
  }

  async run(connections: number, seconds: number): Promise<LoadResult> {
    const firstId = this.to.random ? undefined : this.nextId;
    const result = await runLoad({ ...this.to, connections, seconds, firstId });
    // Those that were open at the end took ids too.
    this.nextId += result.requests + 100_000;
    this.answered += result.requests - result.refused;
    return result;
  }
}

/** Imports so many plants with ids from `first` on. */
export async function importPlants(to: Pick<Load, "url" | "token">, first: number, count: number): Promise<void> {
  for (let done = 0; done < count; done += IMPORTED_AT_ONCE) {
    const ids = Array.from({ length: Math.min(IMPORTED_AT_ONCE, count - done) }, (_, at) => first + done + at);
    await sendRows(to, "import", `id,name,tag\n${ids.map((id) => `${id},Monstera no. ${id},indoor`).join("\n")}\n`);
  }
}

export type Rows = string | Blob | ReadableStream<string>;

/** Sends rows to `/v1/plants/import` or another path there, none of which may fail, and gives the seconds that it took. */
export async function sendRows(
  { url, token }: Pick<Load, "url" | "token">,
  path: string,
  body: Rows,
  type = "text/csv",
) {
  const start = performance.now();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
  const answered = await fetch(`${url}/v1/plants/${path}`, { method: "POST", headers, body });
  const answer = await answered.text();
  if (!answer.includes('"failed":0'))
    throw new Error(`${path} was answered ${answered.status}: ${answer.slice(0, 200)}`);
  return { seconds: (performance.now() - start) / 1000, answer };
}

/** Usually the server has core 0 and the load generator core 1. */
export function onCore(core: number | "any", command: string[]): string[] {
  return core !== "any" && Bun.which("taskset") ? ["taskset", "-c", String(core), ...command] : command;
}

export function requireWrk(): void {
  if (!Bun.which("wrk"))
    throw new Error("This needs the load generator wrk (Debian: apt-get install wrk; macOS: brew install wrk)");
}
