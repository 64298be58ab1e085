import { freePort } from "../test/support/free-port.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { ABUSES, LARGE_PLANT } from "./abuses.ts";
import { BenchDatabase, forgetPeak, memoryMb, peakMb } from "./bench-server.ts";
import { Creates } from "./load.ts";
import { readOptions } from "./options.ts";

/**
 * The memory that answers take which nobody reads, with nothing beside: by how much the service's resident memory grows at
 * most in four seconds. `bun bench/unread-answers.ts [--engine PostgreSQL] [--runs 4] [--only NAME]`, where the name is
 * that of a line of `abuses.ts` which needs a token alone.
 */
const { engine, runs, only } = readOptions({ engine: "SQLite", runs: 4, only: "plants of a MB that nobody reads" });
const STAY_MS = 4000;
const REST_MS = 3000;

const postgres = engine === "PostgreSQL" ? await startPostgres({ settings: { max_connections: "200" } }) : undefined;
const database = new BenchDatabase();
const port = freePort();
Object.assign(database.environment, {
  PORT: String(port),
  BASE_URL: `http://127.0.0.1:${port}`,
  ...(postgres && { DATABASE_URL: postgres.url() }),
});
const token = await database.token();
const server = await database.serve({ core: "any" });
const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
const body = JSON.stringify({ id: LARGE_PLANT, name: "n".repeat(1024 * 1024 - 100) });
const answer = await fetch(`${server.url}/v1/plants`, { method: "POST", headers, body });
if (!answer.ok) throw new Error(`The plant was answered ${answer.status}: ${await answer.text()}`);
await new Creates({ url: server.url, token, core: "any" }).run(16, 3);
const connections = ABUSES.find(({ name }) => name === only)?.connections ?? 20;
const options = ["--url", server.url, "--token", token, "--connections", String(connections)];
for (let run = 0; run < runs; run++) {
  const before = memoryMb(server.pid);
  forgetPeak(server.pid);
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/abuses.ts`, only, ...options], { stdout: "ignore" });
  await Bun.sleep(STAY_MS);
  const [most, then] = [peakMb(server.pid) - before, memoryMb(server.pid) - before];
  child.kill("SIGKILL");
  await child.exited;
  console.log(`${engine}, ${only}: ${before.toFixed(0)} MB, ${most.toFixed(0)} more at most, ${then.toFixed(0)} then`);
  await Bun.sleep(REST_MS);
}
await server.stop();
await postgres?.stop();
database.remove();
process.exit(0);
