import { join } from "node:path";
import { BenchDatabase } from "./bench-server.ts";
import { Creates, requireWrk } from "./load.ts";
import { readOptions } from "./options.ts";
import { report } from "./report.ts";

/**
 * Creates beside backups on a machine without a free processor: what others of the usual priority leave, the backup gets.
 * `bun bench/busy-backups.ts [--before CHECKOUT] [--rounds 3] [--backups 3] [--busy 12]`. A backup that waited for a processor
 * while it held SQLite's lock for writing would hold up all creates, of which those are refused that wait for two seconds.
 */
const { before, rounds, backups, busy } = readOptions({ before: "", rounds: 3, backups: 3, busy: 12 });
const CONNECTIONS = 16;
const SECONDS_EACH = 2;
const CHECKOUTS = { now: join(import.meta.dir, ".."), before };

requireWrk();
const found = { before: nothing(), now: nothing() };
const names = (["before", "now"] as const).filter((name) => CHECKOUTS[name]);
for (let round = 0; round < rounds; round++) for (const name of names) await measure(name);
await report(
  "busy-backups",
  [
    `${CONNECTIONS} connections, ${busy} busy processes of the usual priority, ${rounds} rounds of ${backups} backups`,
    ...names.map(
      (name) => `${name}: ${found[name].requests} creates, the longest took ${found[name].worst.toFixed(0)} ms`,
    ),
  ],
  names.flatMap((name) => [
    { name: `creates refused, ${name}`, value: found[name].refused, ...(name === "now" && { atMost: 0 }) },
    {
      name: `backups not entered in the audit log, ${name}`,
      value: found[name].failed,
      ...(name === "now" && { atMost: 0 }),
    },
  ]),
);

function nothing() {
  return { requests: 0, refused: 0, worst: 0, failed: 0 };
}

async function measure(name: keyof typeof found): Promise<void> {
  const root = CHECKOUTS[name];
  const database = new BenchDatabase(undefined, root);
  const token = await database.token();
  const server = await database.serve({ core: "any" });
  const others = Array.from({ length: busy }, () => Bun.spawn(["sh", "-c", "while :; do :; done"]));
  let isOver = false;
  const made = makeBackups(database, root, found[name]).finally(() => {
    isOver = true;
  });
  const load = new Creates({ url: server.url, token, core: "any" });
  while (!isOver) {
    const { requests, refused, worst } = await load.run(CONNECTIONS, SECONDS_EACH);
    found[name].requests += requests;
    found[name].refused += refused;
    found[name].worst = Math.max(found[name].worst, worst);
  }
  await made;
  for (const other of others) other.kill();
  await server.stop();
  database.remove();
  console.error(name, found[name]);
}

async function makeBackups(
  { folder, environment }: BenchDatabase,
  root: string,
  count: { failed: number },
): Promise<void> {
  for (let made = 0; made < backups; made++) {
    const command = [join(root, "bin/plantstore"), "backup", "create", "--to", join(folder, "backups")];
    const env = { ...environment, LOG_LEVEL: "error" };
    const child = Bun.spawn(command, { cwd: folder, env, stdout: "ignore" });
    if ((await child.exited) !== 0) count.failed++;
  }
}
