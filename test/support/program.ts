import { atEnd } from "./at-end.ts";
import { freePort } from "./free-port.ts";
import { outcomeOf } from "./process.ts";
import { ROOT } from "./service.ts";

/** A server that was started from a built program. */
export interface RunningProgram {
  readonly url: string;
  readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** Milliseconds from the start to the first answer with 200. */
  readonly startMs: number;
  output(): string;
  /** Sends SIGTERM, waits for the end and returns the exit code. */
  stop(): Promise<number>;
}

const START_MS_MAX = 60_000;

/** Runs the command line with `serve` in that folder, on a free port that is known beforehand; with `tls` it speaks that. */
export async function startProgram(
  command: readonly string[],
  cwd: string,
  settings: Record<string, string> = {},
  tls?: BunFetchRequestInitTLS,
): Promise<RunningProgram> {
  const PORT = String(freePort());
  const url = `${tls ? "https" : "http"}://127.0.0.1:${PORT}`;
  const start = performance.now();
  const child = Bun.spawn([...command, "serve"], {
    cwd,
    env: { ...environment(), PORT, LOG_FORMAT: "json", ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  atEnd(() => {
    child.kill("SIGTERM");
    // Its last file would keep the folder from being removed.
    return child.exited;
  });
  let printed = "";
  const collected = [child.stdout, child.stderr].map(async (stream) => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) printed += chunk;
  });
  await untilServing(url, child, () => printed, tls);
  return {
    url,
    process: child,
    startMs: performance.now() - start,
    output: () => printed,
    async stop() {
      child.kill("SIGTERM");
      const code = await child.exited;
      // The last output of a process may arrive after its end.
      await Promise.all(collected);
      return code;
    },
  };
}

/** Runs one command to its end and resolves with its standard output; throws if it fails. */
export async function runProgram(
  command: readonly string[],
  cwd: string,
  { input = "", settings = {} }: { input?: string; settings?: Record<string, string> } = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...environment(), ...settings },
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const { out, problem, code } = await outcomeOf(child);
  if (code !== 0) throw new Error(`${command.join(" ")} exited with ${code}: ${problem}`);
  return out;
}

/**
 * A command line that runs another one with the repository hidden, so that nothing can be read from it. On a system
 * without mounts it runs without this, and says so.
 */
export function withoutRepository(...command: readonly string[]): string[] {
  const hiding = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', ROOT];
  const tried = Bun.which("unshare") ? Bun.spawnSync([...hiding, "true"]) : undefined;
  if (tried?.success) return [...hiding, ...command];
  console.warn("The repository is in reach of the program here: the system allows no mounts");
  return [...command];
}

const NETWORK_SETTINGS = [
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
];

/** The settings by which programs on this machine reach the network: npm needs them to install something. */
export function networkSettings(): Record<string, string> {
  const given = NETWORK_SETTINGS.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(given.filter((setting): setting is [string, string] => setting[1] !== undefined));
}

function environment(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME };
}

async function untilServing(
  url: string,
  child: Bun.Subprocess,
  output: () => string,
  tls: BunFetchRequestInitTLS | undefined,
): Promise<void> {
  const deadline = Date.now() + START_MS_MAX;
  while (Date.now() < deadline && child.exitCode === null) {
    const ready = await fetch(`${url}/readyz`, { tls }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await Bun.sleep(20);
  }
  throw new Error(`The program does not serve: ${output()}`);
}
