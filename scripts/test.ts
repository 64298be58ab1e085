import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runAtEnd } from "../test/support/at-end.ts";
import { processesIn } from "./processes-in.ts";
import { buildStandalone } from "./standalone.ts";

/**
 * Runs all tests: `npm test`; or only those files that are named: `npm test test/create.test.ts`. Files named *.calm.test.ts
 * hold limits of seconds and run beside each other alone; those named *.alone.test.ts measure time or memory and run one after
 * another, with nothing beside them. Its end names the ten slowest files, and its last line has the counts of all groups;
 * `npm run timings` also stores how long each file took, by which the slowest begin first. A failing group does not keep the
 * next from running. A process that the tests started and left is a failure.
 */
interface Group {
  readonly title: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** So many of its files run at a time, 1 by default, each with a PostgreSQL server of its own. */
  readonly workers?: number;
}

/** So many groups run at a time, which keeps two cores busy. */
const LANES = 3;
const ALONE = "--path-ignore-patterns=**/*.{alone,calm}.test.ts";
const APART = ["--isolate"];
/** The files of a worker share their modules: to load those anew takes longer than most tests beside the code. */
const SHARING = ["--no-isolate", "--timeout=240000"];
/** All files in one process: one document, or one browser and one service. */
const TOGETHER = ["--timeout=240000"];

/**
 * Turns the optimizing stages of the runtime's compiler off, where each file loads its modules: most end before optimized
 * code has saved the time of its compilation, and so do the services that they start (test/support/service.ts).
 */
const UNOPTIMIZED = { BUN_JSC_useDFGJIT: "0" };
/** Turns the last of these stages off, in which the pages' components take longer to compile than they then run. */
const WITHOUT_LAST_STAGE = { BUN_JSC_useFTLJIT: "0" };

/**
 * A test of one service that takes its engine from TEST_ENGINE. What others ask of a database is asked of both engines beside
 * the code (src/storage, src/http/routes), and by `describeServices`.
 */
const EITHER_ENGINE = "test/read-change-remove.test.ts";

/** They need nothing that is prepared for the others, and begin before them. */
const COMPONENTS: Group = {
  title: "of the pages' components",
  arguments: [...TOGETHER, "src/dashboard"],
  environment: WITHOUT_LAST_STAGE,
};
const ACCESSIBLE = "test/browser/accessible.test.ts";
/** Half of the pages' tests each, by the first letter of their names. */
const [A_TO_L, M_TO_Z] = ["a-l", "m-z"].map((letters) => `test/browser/[${letters}]*.test.ts`);
const IN_A_BROWSER = [...TOGETHER, ALONE, `--path-ignore-patterns=${ACCESSIBLE}`, "test/browser"];
/** They begin in this order, as lanes are free: the longest first. */
const GROUPS: readonly Group[] = [
  {
    title: "of the service",
    arguments: [...APART, ALONE, "--path-ignore-patterns={src,test/browser}/**"],
    environment: UNOPTIMIZED,
    // Most of them wait more than they compute.
    workers: 4,
  },
  { title: "of the pages in a browser, A to L", arguments: [...IN_A_BROWSER, `--path-ignore-patterns=${M_TO_Z}`] },
  { title: "of the pages in a browser, M to Z", arguments: [...IN_A_BROWSER, `--path-ignore-patterns=${A_TO_L}`] },
  { title: "of the pages' accessibility", arguments: [...TOGETHER, ACCESSIBLE] },
  { title: "beside the code", arguments: [...SHARING, "--path-ignore-patterns=src/dashboard/**", "src"], workers: 3 },
  {
    title: "of the service, on PostgreSQL",
    arguments: [...APART, EITHER_ENGINE],
    environment: { ...UNOPTIMIZED, TEST_ENGINE: "postgres" },
  },
];
const LAST_GROUPS: readonly Group[] = [
  { title: "with limits of seconds", arguments: [...APART, ".calm.test.ts"], workers: 3 },
  { title: "one after another", arguments: [...APART, ".alone.test.ts"] },
];

/** The folder in memory that Linux has; the tests' files take less than the room asked for. */
const IN_MEMORY = "/dev/shm";
const ROOM_BYTES_MIN = 8 * 2 ** 30;
/** All temporary files of the tests are in here. PostgreSQL, which does not run as root, finds its own inside. */
const TMPDIR = mkdtempSync(join(hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir(), "plantstore-tests-"));
chmodSync(TMPDIR, 0o755);
/** Data folders of PostgreSQL are copies of the one that the first file initialises here (test/support/postgres-server.ts). */
const TEST_POSTGRES_SHARED = join(TMPDIR, "postgres");
mkdirSync(TEST_POSTGRES_SHARED);
chmodSync(TEST_POSTGRES_SHARED, 0o755);
process.env.TMPDIR = TMPDIR;
/** In that folder: of this run itself, and of PostgreSQL's servers, whose folders are removed a moment after their end. */
const OWN_FILES = /^(?:postgres|program|migrated\.db.*|timings-.*|plantstore-postgres-.*)$/;
process.env.TEST_POSTGRES_SHARED = TEST_POSTGRES_SHARED;
/** The milliseconds that each file took when they were stored last, by which a group begins the slowest first. */
const TIMINGS = join(import.meta.dir, "../test/timings.json");
/** The milliseconds that each file took in this run. */
const measured = new Map<string, number>();
const SLOWEST = 10;
/** PostgreSQL's processes take a moment to end, on a busy machine several seconds. */
const LEFT_MS_MAX = 10_000;

interface Counts {
  readonly pass: number;
  readonly fail: number;
  readonly skip: number;
}

/** What was printed of each test that failed. It is shown again at the end, where nobody has to look for it. */
const failures: string[] = [];
const FAILURE_LINES_MAX = 60;
const FAILURE_TEXT_MAX = 4000;

/** Hundreds of databases that are made and removed on a disk wait for it a third of the time. */
function hasRoom(folder: string): boolean {
  if (process.env.TMPDIR !== undefined || !existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ROOM_BYTES_MIN;
}

/**
 * The variables by which tests find the things that are prepared once for all of them, since each test would spend long
 * on them.
 */
async function prepared(): Promise<Record<string, string>> {
  const { prepareDatabases } = await import("../test/support/prepared-databases.ts");
  const [program, databases] = await Promise.all([
    buildStandalone(undefined, join(TMPDIR, "program")),
    prepareDatabases(TMPDIR, serversBefore()),
  ]);
  // Tests of completion type its name.
  const TEST_PROGRAM = join(dirname(program), "plantstore");
  symlinkSync(program, TEST_PROGRAM);
  return { ...databases, TEST_PROGRAM };
}

/** How many PostgreSQL servers the groups before this one have, which may run at the same time. The last groups run alone. */
function serversBefore(group?: Group): number {
  const at = group ? GROUPS.indexOf(group) : GROUPS.length;
  return GROUPS.slice(0, Math.max(at, 0)).reduce((sum, { workers = 1 }) => sum + workers, 0);
}

/**
 * Takes groups from the list until none is left, as the other lanes do meanwhile. The lanes after the first show what a group
 * printed when it has ended.
 */
async function runFrom(groups: Group[], lane = 0): Promise<Counts[]> {
  const results: Counts[] = [];
  for (let group = groups.shift(); group; group = groups.shift()) results.push(await run(group, lane));
  return results;
}

async function run(group: Group, lane: number): Promise<Counts> {
  const { title, arguments: given, environment, workers = 1 } = group;
  const aside = lane > 0;
  if (!aside) console.log(`\n== Tests ${title}`);
  // Two groups cannot write one file at a time.
  const timings = join(TMPDIR, `timings-${Bun.hash(title)}.json`);
  copyFileSync(TIMINGS, timings);
  const parallel = workers === 1 ? [] : [`--parallel=${workers}`];
  const noting = [`--timings=${timings}`, "--update-timings"];
  const child = Bun.spawn([process.execPath, "test", ...given, ...parallel, ...noting], {
    cwd: join(import.meta.dir, ".."),
    env: {
      ...process.env,
      ...environment,
      TEST_POSTGRES_FIRST: String(serversBefore(group)),
      ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const printed = await Promise.all([
    passOn(child.stdout, aside ? undefined : process.stdout),
    passOn(child.stderr, aside ? undefined : process.stderr),
  ]);
  const exitCode = await child.exited;
  if (aside) console.log(`\n== Tests ${title}\n${printed.join("\n")}`);
  const found = failuresIn(printed.join("\n"));
  failures.push(...found);
  const { files } = await Bun.file(timings).json();
  for (const file of filesIn(printed.join("\n")))
    measured.set(file, Math.max(files[file] ?? 0, measured.get(file) ?? 0));
  const counts = readCounts(printed.join("\n"));
  if (exitCode === 0 || found.length > 0) return counts;
  // A group that ends without its counts, or with a failure outside of any test, is a failure.
  failures.push(`The group of tests ${title} ended with ${exitCode}.`, printed.join("\n").slice(-FAILURE_TEXT_MAX));
  return { ...counts, fail: Math.max(counts.fail, 1) };
}

async function passOn(stream: ReadableStream<Uint8Array>, out?: NodeJS.WriteStream): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    out?.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/** The summary that Bun prints at the end: " 12 pass", " 1 skip", " 0 fail". */
function readCounts(output: string): Counts {
  const plain = Bun.stripANSI(output);
  const last = (word: string) => Number([...plain.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  const counts = { pass: last("pass"), fail: last("fail"), skip: last("skip") };
  return counts.pass === 0 ? { ...counts, fail: Math.max(counts.fail, 1) } : counts;
}

/** The files whose tests ran. */
function filesIn(output: string): string[] {
  return [...Bun.stripANSI(output).matchAll(/^(\S+\.test\.tsx?):$/gm)].map(([, file = ""]) => file);
}

/** The lines of each test that failed, from the result of the test before it on, below the name of its file. */
function failuresIn(output: string): string[] {
  const found: string[] = [];
  let file = "";
  let lines: string[] = [];
  for (const line of Bun.stripANSI(output).split("\n")) {
    if (/^\S+\.test\.tsx?:$/.test(line)) file = line;
    lines.push(line);
    if (!/^\((pass|fail|skip)\) /.test(line)) continue;
    if (line.startsWith("(fail)")) found.push([file, ...lines.slice(-FAILURE_LINES_MAX)].join("\n"));
    lines = [];
  }
  return found;
}

async function runChosen(given: readonly string[]): Promise<Counts[]> {
  if (given.length > 0) return runFrom([{ title: given.join(" "), arguments: ["--isolate", ...given] }]);
  const components = run(COMPONENTS, LANES - 1);
  Object.assign(process.env, await prepared());
  const groups = [...GROUPS];
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    if (lane === LANES - 1) await components;
    return runFrom(groups, lane);
  });
  const results = await Promise.all(lanes);
  return [await components, ...results.flat(), ...(await runFrom([...LAST_GROUPS]))];
}

/** Ends the processes that the tests have left running, and reports them. */
async function endLeft(): Promise<number> {
  const deadline = performance.now() + LEFT_MS_MAX;
  while (processesIn(TMPDIR).length > 0 && performance.now() < deadline) await Bun.sleep(100);
  const left = processesIn(TMPDIR);
  for (const { pid, command } of left) {
    console.error(`The tests left a process running: ${pid} ${command}`);
    process.kill(pid, "SIGKILL");
  }
  return left.length;
}

const began = performance.now();
const [isUpdate, given] = [process.argv.includes("--update-timings"), process.argv.slice(2)];
const results = await runChosen(given.filter((argument) => argument !== "--update-timings"));
const slowestFirst = [...measured].sort(([, a], [, b]) => b - a);
if (isUpdate) {
  const files = Object.fromEntries(slowestFirst);
  await Bun.write(TIMINGS, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`);
}
await runAtEnd();
const left = await endLeft();
const forgotten = readdirSync(TMPDIR).filter((name) => !OWN_FILES.test(name));
for (const name of forgotten) {
  const files = readdirSync(TMPDIR, { recursive: true, encoding: "utf8" }).filter((path) => path.startsWith(name));
  console.error(`The tests left files in their temporary folder: ${files.slice(0, 10).join(", ")}`);
}
rmSync(TMPDIR, { recursive: true, force: true });
const sum = (name: keyof Counts) => results.reduce((total, counts) => total + counts[name], 0);
if (failures.length > 0) console.log(`\n== What failed\n${failures.join("\n")}`);
const slowest = slowestFirst.slice(0, SLOWEST).map(([file, ms]) => `${(ms / 1000).toFixed(1)} s ${file}`);
console.log(`\nthe slowest files: ${slowest.join(", ")}`);
console.log(`all tests in ${Math.round((performance.now() - began) / 1000)} s`);
console.log(`${sum("pass")} passed, ${sum("fail")} failed, ${sum("skip")} skipped`);
process.exit(sum("fail") === 0 && left === 0 ? 0 : 1);
