import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TokenService } from "#accounts/token-service.ts";
import { parseExpiry } from "#cli/typed-values.ts";
import { DEFAULT_SCOPES, type Scope } from "#core/token.ts";
import { type ApiRequest, requestInit } from "./api-request.ts";
import { atEnd } from "./at-end.ts";
import { testCaller } from "./audit.ts";
import { DEFAULT_ENGINE, newMigratedDatabase, type TestEngine } from "./engines.ts";
import { eventually } from "./eventually.ts";
import { outcomeOf } from "./process.ts";
import { addAccount, onDatabase } from "./test-account.ts";

export const ROOT = join(import.meta.dir, "../..");
/** The program as a clone of the sources starts it. */
export const SOURCES_COMMAND = join(ROOT, "bin/plantstore");
/**
 * The program that tests run: in a run of all tests the one that is released, which starts in half of the time, built of
 * these sources (scripts/test.ts); otherwise the sources.
 */
export const COMMAND = process.env.TEST_PROGRAM ?? SOURCES_COMMAND;

/** A real service for tests: a process on a free port of the loopback, over a new database. */
export interface TestService {
  readonly url: string;
  readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly environment: Record<string, string>;
  readonly folder: string;
  /** Everything that the service has printed so far. */
  output(): string;
  /** The same, as the whole lines of its log in JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each message has members of its own
  log(): any[];
  /** Sends a request of the API to a path. */
  send(method: string, path: string, sent?: ApiRequest): Promise<Response>;
  /** The text of its metrics, which needs the setting METRICS without a token. */
  metrics(): Promise<string>;
  /** Runs an operator's command on the same database and returns its standard output. */
  command(...args: string[]): Promise<string>;
  /** A new token of a new account. */
  token(options?: { scopes?: readonly Scope[]; expires?: string }): Promise<string>;
  /** Sends SIGTERM, waits for the end and returns the exit code. */
  stop(): Promise<number>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  /** Starts it again on the same database and another free port. */
  restart(settings?: Record<string, string>): Promise<TestService>;
}

export interface TestServiceOptions {
  /** By default SQLite, or the engine that TEST_ENGINE names. */
  readonly engine?: TestEngine;
  readonly settings?: Record<string, string>;
  readonly folder?: string;
  readonly program?: string;
  /** True if PostgreSQL may be out of reach at the start; otherwise the service has its database when this resolves. */
  readonly mayLackDatabase?: boolean;
}

/** The stages of the runtime's compiler that the tests themselves run with (scripts/test.ts). */
const { BUN_JSC_useDFGJIT } = process.env;
const COMPILER: Record<string, string> = BUN_JSC_useDFGJIT === undefined ? {} : { BUN_JSC_useDFGJIT };

const START_MS_MAX = 60_000;
/** A program that the process has started may keep its output open. */
const OUTPUT_MS_MAX = 5000;
let accounts = 0;

export async function startService({
  engine = DEFAULT_ENGINE,
  settings: given = {},
  folder = temporaryFolder(),
  program = COMMAND,
  mayLackDatabase = false,
}: TestServiceOptions = {}): Promise<TestService> {
  const settings = { ...given, DATABASE_URL: given.DATABASE_URL ?? (await newMigratedDatabase(engine, folder)) };
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    PORT: "0",
    LOG_FORMAT: "json",
    ...COMPILER,
    ...settings,
  };
  const child = Bun.spawn([program, "serve"], {
    cwd: folder,
    env: environment,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  atEnd(() => {
    child.kill("SIGKILL");
    // Its last file would keep the folder from being removed.
    return child.exited;
  });
  let printed = "";
  const add = (text: string) => {
    printed += text;
  };
  const collected = Promise.all([collect(child.stdout, add), collect(child.stderr, add)]);
  // The last output of a process may arrive after its end.
  const ended = async () => {
    const code = await child.exited;
    await Promise.race([collected, Bun.sleep(OUTPUT_MS_MAX)]);
    return code;
  };
  const url = await printedAddress(() => printed, child).catch(async (error) => {
    if (child.exitCode !== null) await ended();
    throw new Error(`${error.message}: ${printed}`);
  });
  // On PostgreSQL it listens a second later even if it has not reached its database, or not made the tables yet.
  if (settings.DATABASE_URL.startsWith("postgres") && !mayLackDatabase) {
    await eventually("the service has its database", async () => (await fetch(`${url}/readyz`)).ok);
  }
  return {
    url,
    process: child,
    environment,
    folder,
    output: () => printed,
    log: () =>
      printed
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    send: (method, path, sent) => fetch(url + path, requestInit(method, sent)),
    async metrics() {
      const [, address] = /"metrics":"([^"]+)"/.exec(printed) ?? [];
      if (!address) throw new Error(`No address of metrics was printed: ${printed}`);
      return (await fetch(`${address}metrics`)).text();
    },
    command: (...args) => runCommand(environment, folder, args),
    // Like the operator's commands, but in this process and in a tenth of the time.
    token({ scopes = DEFAULT_SCOPES, expires } = {}) {
      const expiresAt = expires === undefined ? undefined : parseExpiry(expires, Date.now());
      return onDatabase(environment, async (storage) => {
        const { account: number } = await addAccount(storage, `grower${++accounts}-${process.pid}@example.test`);
        const tokens = new TokenService(storage.records);
        return (await tokens.create(testCaller(number), { name: "test", scopes, expiresAt })).secret;
      });
    },
    async stop() {
      child.kill("SIGTERM");
      return ended();
    },
    async kill() {
      child.kill("SIGKILL");
      await ended();
    },
    restart: (more = {}) => startService({ settings: { ...settings, ...more }, folder, program }),
  };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "plantstore-test-"));
  atEnd(() => eventually(`${folder} is removed`, () => isRemoved(folder)));
  return folder;
}

/** A process that is ending may write one more file while its folder is being removed. */
function isRemoved(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is tried again.
  }
  return !existsSync(folder);
}

export async function runCommand(
  environment: Record<string, string>,
  cwd: string,
  args: string[],
  input?: string,
): Promise<string> {
  const stdin = input === undefined ? ("ignore" as const) : Buffer.from(input);
  const child = Bun.spawn([COMMAND, ...args], { cwd, env: environment, stdin, stdout: "pipe", stderr: "pipe" });
  const { out, problem, code } = await outcomeOf(child);
  if (code !== 0) throw new Error(`plantstore ${args[0]} ${args[1] ?? ""} exited with ${code}: ${problem || out}`);
  return out;
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }));
}

async function printedAddress(output: () => string, child: Bun.Subprocess): Promise<string> {
  const deadline = Date.now() + START_MS_MAX;
  while (Date.now() < deadline && child.exitCode === null) {
    const found = /https?:\/\/[^\s"/]+:\d+/.exec(output());
    if (found) return found[0];
    await Bun.sleep(20);
  }
  throw new Error("The service printed no address");
}
