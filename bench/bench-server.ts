import { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newTokenSecret } from "#accounts/token-service.ts";
import { DEFAULT_SCOPES } from "#core/token.ts";
import { testCaller } from "../test/support/audit.ts";
import { queryOnce } from "../test/support/query.ts";
import { addAccount, onDatabase } from "../test/support/test-account.ts";
import { onCore } from "./load.ts";

const ROOT = join(import.meta.dir, "..");
const COMMAND = "bin/plantstore";
const EMAIL = "bench@example.test";
const PASSWORD = "a password for the benchmark";
/** The search index has all that it takes in when it stays as it is for so long. */
const STILL_MS = 2000;

/** A server on a core of its own; a measured one is on core 0. */
export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a file of this folder that prints the address on which it serves. */
export function startFile(name: string, core: number): Promise<BenchServer> {
  const command = onCore(core, [process.execPath, join(import.meta.dir, name)]);
  return started(Bun.spawn(command, { stdout: "pipe" }));
}

/** A folder with a database, a new one unless it is named, and the tokens of accounts in it. `root` is the checkout in use. */
export class BenchDatabase {
  readonly path: string;
  readonly environment: Record<string, string>;

  constructor(
    readonly folder = mkdtempSync(join(tmpdir(), "plantstore-bench-")),
    private readonly root = ROOT,
  ) {
    this.path = join(folder, "plantstore.db");
    this.environment = {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      PORT: "0",
      LOG_FORMAT: "json",
      DATABASE_URL: `sqlite:${this.path}`,
    };
  }

  /** `more` holds further options of `token create`. */
  async token(email = EMAIL, ...more: string[]): Promise<string> {
    // Only a server makes a database.
    if (!existsSync(this.path)) await (await this.serve()).stop();
    await this.command(["account", "create", "--email", email]);
    return (await this.command(["token", "create", "--account", email, "--name", "bench", ...more])).trim();
  }

  /** A token of each of so many stores. */
  async tokens(stores: number): Promise<string[]> {
    await (await this.serve()).stop();
    return onDatabase(this.environment, async (storage) => {
      const secrets: string[] = [];
      for (let at = 0; at < stores; at++) {
        const { account } = await addAccount(storage, at === 0 ? EMAIL : `bench${at}@example.test`);
        const secret = newTokenSecret();
        const token = { name: "bench", scopes: DEFAULT_SCOPES, expiresAt: undefined };
        await storage.records.tokens.add(testCaller(account), token, secret);
        secrets.push(secret);
      }
      return secrets;
    });
  }

  /** Signs the account in with a new password, and gives the cookies of its session. */
  async signIn({ url }: BenchServer, email = EMAIL): Promise<string> {
    await this.command(["account", "password", "--email", email, "--password-stdin"], PASSWORD);
    const headers = { Origin: url, "Content-Type": "application/json" };
    const body = JSON.stringify({ email, password: PASSWORD });
    const answer = await fetch(`${url}/auth/sign-in/email`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`The sign-in was answered ${answer.status}: ${await answer.text()}`);
    return answer.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
  }

  serve({ core = 0 }: { readonly core?: number | "any" } = {}): Promise<BenchServer> {
    const options = { cwd: this.folder, env: this.environment, stdout: "pipe" } as const;
    return started(Bun.spawn(onCore(core, [join(this.root, COMMAND), "serve"]), options));
  }

  /** Runs a statement beside the service, and gives the first column of its first row as a number. */
  async number(statement: string): Promise<number> {
    const [row = {}] = await this.execute(statement);
    return Number(Object.values(row)[0]);
  }

  /** Runs a statement beside the service, and gives its rows. */
  async execute(statement: string): Promise<Record<string, unknown>[]> {
    const { DATABASE_URL = "" } = this.environment;
    if (DATABASE_URL.startsWith("postgres")) return queryOnce(DATABASE_URL, statement);
    using database = new Database(this.path);
    database.run("PRAGMA busy_timeout = 5000");
    return database.query<Record<string, unknown>, []>(statement).all();
  }

  rows(): Promise<number> {
    return this.number("SELECT count(*) FROM plants");
  }

  /** How fast the search index takes in the plants that it lacks, a second; resolves when it has taken in none for two seconds. */
  async indexingEnds(): Promise<number> {
    const { DATABASE_URL = "" } = this.environment;
    const [column, table] = DATABASE_URL.startsWith("postgres") ? ["number", "marks"] : ["last", "ranges"];
    const indexed = () => this.number(`SELECT coalesce(max(${column}), 0) FROM plant_search_${table}`);
    const [start, from] = [performance.now(), await indexed()];
    let [at, changed] = [from, start];
    while (performance.now() - changed < STILL_MS) {
      await Bun.sleep(100);
      const next = await indexed();
      if (next !== at) [at, changed] = [next, performance.now()];
    }
    return at > from ? (1000 * (at - from)) / (changed - start) : 0;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs an operator's command on the database, and gives what it prints. */
  async command(args: readonly string[], input = ""): Promise<string> {
    const child = Bun.spawn([join(this.root, COMMAND), ...args], {
      cwd: this.folder,
      env: { ...this.environment, LOG_LEVEL: "warn" },
      stdin: Buffer.from(input),
      stdout: "pipe",
    });
    return new Response(child.stdout).text();
  }
}

/** Resident memory of a process in MB (Linux). */
export function memoryMb(pid: number): number {
  return statusMb(pid, "VmRSS");
}

/** The most that a process has had resident since `forgetPeak`, in MB (proc(5), /proc/pid/clear_refs). */
export function peakMb(pid: number): number {
  return statusMb(pid, "VmHWM");
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function statusMb(pid: number, name: string): number {
  const [, kilobytes = "0"] = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

async function started(child: Bun.Subprocess<"ignore" | "inherit", "pipe", "inherit">): Promise<BenchServer> {
  process.on("exit", () => child.kill());
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    output += decoder.decode(chunk, { stream: true });
    const [url] = /https?:\/\/[^\s"/]+:\d+/.exec(output) ?? [];
    if (url) return { url, pid: child.pid, stop: () => stopped(child) };
  }
  throw new Error(`The server printed no address: ${output}`);
}

async function stopped(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGTERM");
  await child.exited;
}
