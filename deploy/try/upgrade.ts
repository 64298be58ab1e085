import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "#test/support/eventually.ts";
import { Clients } from "./clients.ts";
import { Cluster, ROOT } from "./cluster.ts";
import { Report } from "./report.ts";

const CLIENTS = 12;
const CALM_MS = 2000;
const READY_MS_MAX = 120_000;
/** Long enough to show whether creates wait for a migration that waits for this lock. */
const LOCK_MS = 15_000;

/**
 * Replaces an older version of the service by this one, node after node, under load. While the first new node migrates
 * the database, another connection holds a lock on the plants that the migration may have to wait for.
 */
export async function tryUpgrade(commit: string): Promise<boolean> {
  const older = checkOut(commit);
  await using cluster = await Cluster.start(older);
  const clients = new Clients(cluster.url, await cluster.token(), CLIENTS);
  const report = new Report("replaced");
  await Bun.sleep(CALM_MS);
  report.add("nothing yet", clients.phase());
  const lock = await holdLock(cluster);
  for (const [index, node] of cluster.nodes.entries()) {
    await node.stop();
    node.start([join(ROOT, "bin/plantstore"), "serve"]);
    if (index === 0) await lock.released;
    await eventually(`${node.name} is ready`, () => cluster.isReady(), READY_MS_MAX);
    await Bun.sleep(CALM_MS);
    const observed = clients.phase();
    report.add(index === 0 ? "node1, which migrates behind a lock" : node.name, observed);
    console.log(`${node.name} is replaced: no answer 200 for ${Math.round(observed.longestGapMs)} ms at most`);
  }
  const isWhole = await report.print(clients, cluster);
  rmSync(older, { recursive: true });
  return isWhole;
}

/** As an export or a backup does, this reads the plants for a while, so nobody can change the table meanwhile. */
async function holdLock(cluster: Cluster): Promise<{ released: Promise<void> }> {
  const client = await cluster.connect("plantstore");
  await client.query("BEGIN; LOCK TABLE plants IN ACCESS SHARE MODE");
  const released = Bun.sleep(LOCK_MS).then(async () => {
    await client.query("COMMIT");
    await client.end();
  });
  return { released };
}

function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), "plantstore-older-"));
  run(["git", "clone", "-q", ROOT, folder], "/");
  run(["git", "checkout", "-q", commit], folder);
  run(["npm", "ci"], folder);
  return folder;
}

function run(command: string[], cwd: string): void {
  const { success, stderr } = Bun.spawnSync(command, { cwd });
  if (!success) throw new Error(`${command.join(" ")}: ${stderr}`);
}
