import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { outcomeOf } from "../test/support/process.ts";
import { ROOT } from "../test/support/service.ts";
import { GENERATORS } from "./clients/generators.ts";
import { PROGRAM_SOURCES } from "./foreign-programs.ts";

/**
 * `npm run foreign [-- WORD…]`: everything that needs programs of others, which the gate goes without where they are not
 * installed; with words only what has one of them in its name. Each line says what passed, failed, or lacks which program;
 * the last one counts. It exits with 1 if anything failed. Programs in Go are built once, into `dist/foreign`, the others are
 * fetched where each script says.
 */
interface Trial {
  readonly name: string;
  readonly needs: readonly string[];
  /** It exits with 2, and says what it lacks, if that is more than the programs. */
  readonly command: readonly string[];
}

type Outcome = "passed" | "failed" | `lacks ${string}`;

const BIN = join(ROOT, "dist/foreign");
const BUN = process.execPath;
/** Where Debian has the programs of servers, besides. */
const PATH = [BIN, join(ROOT, "node_modules/.bin"), process.env.PATH, "/usr/sbin"].join(":");
const ENVIRONMENT = { ...process.env, PATH };
const TRIAL_MS_MAX = 30 * 60_000;
const PRINTED_LENGTH_MAX = 4000;

const TRIALS: readonly Trial[] = [
  tested("promtool: metrics", ["promtool"], "test/metrics.test.ts", "promtool finds"),
  tested("promtool: alerts", ["promtool"], "test/alerts.test.ts", "promtool takes"),
  tested("systemd-analyze: the unit", ["systemd-analyze"], "test/standalone.test.ts", "the unit for systemd"),
  tested("openssl: versions of TLS", ["openssl"], "test/https.test.ts", "speaks TLS"),
  tested("HAProxy", ["haproxy"], "test/haproxy.test.ts"),
  tested("PgBouncer", ["pgbouncer"], "test/pgbouncer.test.ts"),
  ...["zsh", "fish"].map((shell) => tested(`${shell}: completion`, [shell], "test/completion.test.ts", shell)),
  tested("age and zstd: backups by hand", ["age", "zstd"], "test/backup.test.ts", "zstd|age"),
  tested(
    "age and zstd: the documents' commands",
    ["age", "zstd"],
    "test/documented-commands.test.ts",
    "docs/operations.md",
  ),
  tested("Python: the client", ["python3"], "test/client-cases.test.ts", "in Python"),
  tested("Python: the client's webhooks, hooks and cut exports", ["python3"], "test/client-python.test.ts"),
  tested("Python: the client at a rate limit", ["python3"], "test/bulk-rate.test.ts", "in Python"),
  tested("Python: the mirror", ["python3"], "test/mirror-recipe.test.ts", "in Python"),
  tested("Python: the wheel that the service hands out", ["python3"], "test/downloads.test.ts", "pip"),
  tested("Python and PHP: the nightly sync", ["python3", "php"], "test/nightly-sync.test.ts"),
  { name: "LibreOffice: exports that it saved again", needs: ["soffice"], command: [BUN, "scripts/spreadsheets.ts"] },
  { name: "oidc-provider", needs: ["npm"], command: [BUN, "scripts/oidc-provider.ts"] },
  { name: "Pebble", needs: ["pebble"], command: [BUN, "scripts/pebble.ts", "pebble", "5", "16"] },
  {
    name: "versitygw, age, zstd and Litestream",
    needs: ["versitygw", "litestream", "age", "zstd"],
    command: [BUN, "scripts/backup-tools.ts"],
  },
  ...GENERATORS.map(({ name, needs }) => ({
    name: `client of ${name}`,
    needs,
    command: ["scripts/clients/run", name],
  })),
  { name: "Node 22, Node 24 and Deno: the client", needs: ["npm"], command: ["scripts/clients/runtimes"] },
  ...["file", "package"].map((kind) => ({
    name: `the unit: an installation as a ${kind}, by the document`,
    needs: ["unshare", "setpriv", "runuser", "useradd", "npm"],
    command: ["scripts/installation", kind],
  })),
  { name: "Patroni, etcd and HAProxy: deploy/try", needs: [], command: ["deploy/try/run", "1"] },
];

function tested(name: string, needs: readonly string[], file: string, pattern = ""): Trial {
  return { name, needs, command: [BUN, "test", "--timeout=240000", file, ...(pattern ? ["-t", pattern] : [])] };
}

function lacking(needs: readonly string[]): string[] {
  return needs.filter((program) => !Bun.which(program, { PATH }));
}

/** Builds those that only Go is needed for. */
async function buildPrograms(needs: ReadonlySet<string>): Promise<void> {
  mkdirSync(BIN, { recursive: true });
  if (!Bun.which("go")) return;
  for (const program of lacking([...needs])) {
    const [go, ...install] = (PROGRAM_SOURCES[program] ?? "").split(" ");
    if (go !== "go") continue;
    const env = { ...ENVIRONMENT, GOBIN: BIN };
    const { code, problem } = await outcomeOf(Bun.spawn([go, ...install], { env, stdout: "pipe", stderr: "pipe" }));
    if (code !== 0) console.error(problem.slice(-PRINTED_LENGTH_MAX));
  }
}

async function outcomeOfTrial({ needs, command }: Trial): Promise<Outcome> {
  const missing = lacking(needs);
  if (missing.length > 0) return `lacks ${missing.map(withSource).join(", ")}`;
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: ENVIRONMENT,
    stdout: "pipe",
    stderr: "pipe",
    timeout: TRIAL_MS_MAX,
  });
  const { code, out, problem } = await outcomeOf(child);
  if (code === 2) return `lacks ${problem.trim().replaceAll(/\s+/g, " ") || "something"}`;
  if (code !== 0) {
    console.log((out + problem).slice(-PRINTED_LENGTH_MAX));
    return "failed";
  }
  // What a test or a script passes over, it says so.
  const skipped = /\(skipped: ([^)]+)\)|skipped(?:: |, since )([^\n]+)/.exec(out + problem);
  return skipped ? `lacks ${skipped[1] ?? skipped[2]}` : "passed";
}

function withSource(program: string): string {
  const source = PROGRAM_SOURCES[program];
  return source === undefined ? program : `${program} (${source})`;
}

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = TRIALS.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
);
const counts = { passed: 0, failed: 0, lacking: 0 };
await buildPrograms(new Set(chosen.flatMap(({ needs }) => needs)));
for (const trial of chosen) {
  const began = performance.now();
  const outcome = await outcomeOfTrial(trial);
  counts[outcome === "passed" || outcome === "failed" ? outcome : "lacking"]++;
  console.log(`${trial.name}: ${outcome} (${Math.round((performance.now() - began) / 1000)} s)`);
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.lacking} lack a program`);
process.exitCode = counts.failed > 0 ? 1 : 0;
