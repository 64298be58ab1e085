import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { BenchDatabase, type BenchServer } from "./bench-server.ts";
import { Creates, type LoadResult, requireWrk } from "./load.ts";
import { median } from "./median.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";

/**
 * Backups and restores against those of another checkout, in interleaved rounds, and creates beside a backup against the same
 * creates alone: `bun bench/backups.ts --folder FOLDER [--before CHECKOUT] [--plants 10000000] [--rounds 2]
 * [--creates 2] [--seconds 4]`. `creates` is the number of rounds of creates. The folder is used again if it has the databases. Nothing is bound to a core.
 */
const OPTIONS = { folder: "", before: "", plants: 10_000_000, rounds: 2, creates: 2, seconds: 4 };
const {
  folder: FOLDER,
  before: BEFORE,
  plants: PLANTS,
  rounds: ROUNDS,
  creates: CREATE_ROUNDS,
  seconds: SECONDS,
} = readOptions(OPTIONS);
const CONNECTIONS = 64;

interface Spent {
  readonly seconds: number;
  readonly processorSeconds: number;
}

requireWrk();
const now = await filled("now", join(import.meta.dir, ".."));
const before = BEFORE ? await filled("before", BEFORE) : undefined;
const spent = {
  created: { now: [] as Spent[], before: [] as Spent[] },
  restored: { now: [] as Spent[], before: [] as Spent[] },
};
for (let round = 0; round < ROUNDS; round++) {
  for (const name of ["before", "now"] as const) {
    const subject = name === "now" ? now : before;
    if (!subject) continue;
    rmSync(subject.backups, { recursive: true, force: true });
    spent.created[name].push(await run(subject, "create", "--to", subject.backups));
    const into = join(FOLDER, `restored-${name}.db`);
    rmSync(into, { force: true });
    spent.restored[name].push(
      await run(subject, "restore", "latest", "--from", subject.backups, "--into", `sqlite:${into}`),
    );
    rmSync(into);
    console.error(round, name, spent.created[name].at(-1), spent.restored[name].at(-1));
  }
}
const { alone, beside, log } = await creates();

const lines = [
  `${PLANTS} plants, ${Math.round(statSync(now.database.path).size / 1e6)} MB; ${ROUNDS} rounds`,
  ...(["created", "restored"] as const).flatMap((act) =>
    (["before", "now"] as const).flatMap((name) =>
      spent[act][name].length > 0 ? `${act} ${name}: ${list(spent[act][name])}` : [],
    ),
  ),
  ...(CREATE_ROUNDS > 0
    ? [
        `creates on ${CONNECTIONS} connections alone: ${summary(alone)}`,
        `beside a backup at the lowest priority: ${summary(beside)}`,
      ]
    : []),
];
const bars: Bar[] = [
  ...(before && ROUNDS > 0 ? [ratio("backup", "created", 0.3), ratio("restore", "restored", 0.5)].flat() : []),
  ...(CREATE_ROUNDS > 0
    ? [
        {
          name: "creates' p99 beside a backup / alone",
          value: median(beside, ({ p99 }) => p99).p99 / median(alone, ({ p99 }) => p99).p99,
          atMost: 5,
        },
        { name: "write-ahead log at its longest meanwhile, MB", value: log },
      ]
    : []),
];
await report("backups", lines, bars);

function ratio(name: string, act: keyof typeof spent, atMost: number): Bar[] {
  const middle = (of: "now" | "before", by: (each: Spent) => number) => by(median(spent[act][of], by));
  return [
    {
      name: `${name}, time now / before`,
      value: middle("now", (each) => each.seconds) / middle("before", (each) => each.seconds),
      atMost,
    },
    {
      name: `${name}, processor time now / before`,
      value: middle("now", (each) => each.processorSeconds) / middle("before", (each) => each.processorSeconds),
    },
  ];
}

function list(all: readonly Spent[]): string {
  const texts = all.map(
    ({ seconds, processorSeconds }) => `${seconds.toFixed(1)} s (${processorSeconds.toFixed(1)} of processors)`,
  );
  return texts.join(", ");
}

function summary(loads: readonly LoadResult[]): string {
  const each = loads.map(
    ({ perSecond, p50, p99, worst }) =>
      `${Math.round(perSecond)} a second, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, worst ${worst.toFixed(0)} ms`,
  );
  return each.join("; ");
}

/** The database of a checkout, filled by it. */
async function filled(name: string, root: string) {
  const folder = join(FOLDER, name);
  mkdirSync(folder, { recursive: true });
  const database = new BenchDatabase(folder, root);
  const isThere = existsSync(database.path);
  const token = await database.token(`${crypto.randomUUID()}@example.test`);
  if (!isThere) (await import(join(root, "bench/catalogue.ts"))).fillCatalogue(database.path, PLANTS);
  return { database, root, token, backups: join(FOLDER, `backups-${name}`) };
}

type Subject = Awaited<ReturnType<typeof filled>>;

async function run({ database, root }: Subject, ...args: string[]): Promise<Spent> {
  const start = performance.now();
  const env = { ...database.environment, LOG_LEVEL: "error" };
  const child = Bun.spawn([join(root, "bin/plantstore"), "backup", ...args], { cwd: FOLDER, env, stdout: "ignore" });
  const timer = setInterval(() => asHere(child.pid), 50);
  const code = await child.exited;
  clearInterval(timer);
  if (code !== 0) throw new Error(`plantstore backup ${args[0]} failed`);
  const { user = 0, system = 0 } = child.resourceUsage()?.cpuTime ?? {};
  return { seconds: (performance.now() - start) / 1000, processorSeconds: (Number(user) + Number(system)) / 1e6 };
}

/** Gives all threads of a process the priority of this one, so that other work on the machine disturbs neither (Linux). */
function asHere(pid: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), getPriority());
  } catch {
    // It has ended, or this is not the administrator's.
  }
}

/** In turn without a backup, and beside one as the server makes it. */
async function creates() {
  if (CREATE_ROUNDS === 0) return { alone: [], beside: [], log: 0 };
  const server: BenchServer = await now.database.serve({ core: "any" });
  const load = new Creates({ url: server.url, token: now.token, core: "any" }, 1_000_000_000);
  const alone: LoadResult[] = [];
  const beside: LoadResult[] = [];
  let log = 0;
  await load.run(CONNECTIONS, SECONDS);
  for (let round = 0; round < CREATE_ROUNDS; round++) {
    alone.push(await load.run(CONNECTIONS, SECONDS));
    rmSync(now.backups, { recursive: true, force: true });
    const command = [join(now.root, "bin/plantstore"), "backup", "create", "--to", now.backups];
    const env = { ...now.database.environment, LOG_LEVEL: "error" };
    const backup = Bun.spawn(command, { cwd: FOLDER, env, stdout: "ignore" });
    for (; backup.exitCode === null; log = Math.max(log, statSync(`${now.database.path}-wal`).size / 1e6)) {
      beside.push(await load.run(CONNECTIONS, SECONDS));
    }
    console.error(round, alone.at(-1)?.p99, beside.at(-1)?.p99, log, backup.exitCode);
  }
  await server.stop();
  return { alone, beside, log };
}
