import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "#test/support/at-end.ts";
import { runBackupCommand } from "#test/support/backups.ts";
import { ROOT, startService } from "#test/support/service.ts";
import { everyPlant, SingleCreates } from "#test/support/single-creates.ts";
import { expectEqual } from "./expect-equal.ts";
import { BUCKET, type S3Gateway } from "./s3-gateway.ts";

const LOAD_MS = 20_000;
const CONNECTIONS = 16;
/** The settings copy each change within a second. */
const LAST_SYNC_MS = 3000;

/**
 * Runs Litestream with the settings of deploy/ beside a server under load, and checks the restored file as the page
 * describes.
 */
export async function tryLitestream(gateway: S3Gateway): Promise<void> {
  const service = await startService({ engine: "sqlite" });
  const token = await service.token();
  const database = join(service.folder, "plantstore.db");
  const config = join(service.folder, "litestream.yml");
  await Bun.write(config, settingsFor(database, gateway));
  const litestream = (...args: string[]) =>
    Bun.spawn(["litestream", ...args], {
      cwd: service.folder,
      env: {
        PATH: process.env.PATH ?? "",
        LITESTREAM_ACCESS_KEY_ID: gateway.accessKeyId,
        LITESTREAM_SECRET_ACCESS_KEY: gateway.secretAccessKey,
      },
      stdout: Bun.file(join(service.folder, "litestream.log")),
      stderr: "inherit",
    });

  const replicating = litestream("replicate", "-config", config);
  atEnd(() => replicating.kill());
  const load = new SingleCreates(service.url, token, CONNECTIONS);
  const size = { log: 0 };
  const watching = setInterval(() => {
    size.log = Math.max(size.log, statSync(`${database}-wal`).size);
  }, 200);
  await Bun.sleep(LOAD_MS);
  await load.end();
  clearInterval(watching);
  await Bun.sleep(LAST_SYNC_MS);
  replicating.kill("SIGTERM");
  expectEqual("the exit code of litestream replicate", await replicating.exited, 0);
  expectEqual("creates without an answer", [load.unanswered.size, [...load.refused]], [0, []]);

  const restored = join(service.folder, "restored.db");
  const restoring = litestream("restore", "-config", config, "-o", restored, database);
  expectEqual("the exit code of litestream restore", await restoring.exited, 0);
  const settings = { DATABASE_URL: `sqlite:${restored}` };
  for (const args of [
    ["create", "--to", "checked"],
    ["verify", "latest", "--from", "checked"],
  ]) {
    const { exitCode, problem } = await runBackupCommand(service, args, settings);
    expectEqual(`backup ${args[0]} takes what it restored`, exitCode === 0 || problem, true);
  }
  const copy = await startService({ engine: "sqlite", settings });
  const held = await everyPlant(copy.url, token);
  expectEqual("plants restored", held, await everyPlant(service.url, token));
  expectEqual("errors in the server's log", service.output().includes('"level":"error"'), false);
  console.log(
    `${held.size} plants were created in ${LOAD_MS / 1000} s; the log grew to ${Math.round(size.log / 1e6)} MB`,
  );
}

/** The file of deploy/, with this machine's database and store. */
function settingsFor(database: string, { endpoint }: S3Gateway): string {
  const text = readFileSync(join(ROOT, "deploy/litestream.yml"), "utf8");
  return text
    .replace("/var/lib/plantstore/plantstore.db\n    #", `${database}\n    #`)
    .replace(
      "s3://BUCKET/PREFIX",
      `s3://${BUCKET}/litestream\n      endpoint: ${endpoint}\n      force-path-style: true`,
    );
}
