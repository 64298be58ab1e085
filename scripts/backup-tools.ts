import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { atEnd, runAtEnd } from "#test/support/at-end.ts";
import { addBulk, runBackupCommand } from "#test/support/backups.ts";
import { eventually } from "#test/support/eventually.ts";
import { freePort } from "#test/support/free-port.ts";
import { ROOT, startService, temporaryFolder } from "#test/support/service.ts";
import { everyPlant, SingleCreates } from "#test/support/single-creates.ts";

/** Tries backups with programs of others, which `npm run foreign` finds: a store that speaks S3 (versitygw), age and zstd, Litestream. */
const BUCKET = "nursery";
/** Two parts of an upload. */
const MEBIBYTES = 26;
const LOAD_MS = 20_000;
const CONNECTIONS = 16;
/** The settings copy each change within a second. */
const LAST_SYNC_MS = 3000;
const [ACCESS_KEY_ID, SECRET] = ["AKPLANTSTORE", crypto.randomUUID()];
const OBJECTS = join(temporaryFolder(), "objects");
const ADDRESS = `127.0.0.1:${freePort()}`;
const ENDPOINT = `http://${ADDRESS}`;

try {
  await startGateway();
  await tryStore();
  await tryLitestream();
  console.log("All of it worked.");
} finally {
  await runAtEnd();
}

/** Starts a server of the S3 protocol over a folder, with one bucket. */
async function startGateway(): Promise<void> {
  mkdirSync(join(OBJECTS, BUCKET), { recursive: true });
  const child = Bun.spawn(["versitygw", "--port", ADDRESS, "posix", OBJECTS], {
    env: { PATH: process.env.PATH ?? "", ROOT_ACCESS_KEY: ACCESS_KEY_ID, ROOT_SECRET_KEY: SECRET },
    stdio: ["ignore", "ignore", "ignore"],
  });
  atEnd(() => child.kill());
  const isUp = () => fetch(ENDPOINT).then(Boolean, () => false);
  await eventually("the gateway answers", isUp);
}

/** An encrypted backup on a store that speaks S3: made, listed, verified, restored, read by age and zstd, removed. */
async function tryStore(): Promise<void> {
  const service = await startService({ engine: "sqlite" });
  const token = await service.token();
  await addBulk(service, token, MEBIBYTES);
  const identity = await generateX25519Identity();
  const identityFile = join(service.folder, "identity.txt");
  await Bun.write(identityFile, `${identity}\n`);
  const settings = {
    S3_ENDPOINT: ENDPOINT,
    S3_REGION: "us-east-1",
    S3_ACCESS_KEY_ID: ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: SECRET,
    BACKUP_TO: `s3://${BUCKET}/daily`,
    BACKUP_RECIPIENTS: await identityToRecipient(identity),
    BACKUP_IDENTITY: identityFile,
  };
  const run = async (args: readonly string[], exitCode = 0, more: Record<string, string> = {}) => {
    const result = await runBackupCommand(service, args, { ...settings, ...more });
    expectEqual(`backup ${args[0]} exits with ${exitCode}`, result.exitCode === exitCode || result.problem, true);
    return result;
  };

  const { output: name } = await run(["create"]);
  const [listed] = JSON.parse((await run(["list", "--json"])).output);
  expectEqual("the name in the list", listed.name, name);
  await run(["verify", "latest"]);
  const restored = join(service.folder, "restored.db");
  await run(["restore", "latest", "--into", `sqlite:${restored}`]);
  const copy = await startService({ engine: "sqlite", settings: { DATABASE_URL: `sqlite:${restored}` } });
  expectEqual("plants restored", await everyPlant(copy.url, token), await everyPlant(service.url, token));

  const byHand = join(service.folder, "by-hand.db");
  const script = 'set -o pipefail; age -d -i "$0" "$1" | zstd -d > "$2"';
  const stored = join(OBJECTS, BUCKET, "daily", `${name}.db.zst.age`);
  const { exited } = Bun.spawn(["bash", "-c", script, identityFile, stored, byHand]);
  expectEqual("the exit code of age -d | zstd -d", await exited, 0);
  const sum = new Bun.CryptoHasher("sha256").update(await Bun.file(byHand).bytes()).digest("hex");
  expectEqual("the SHA-256 of what age and zstd restore", sum, listed.sha256.plain);

  const { problem } = await run(["list"], 1, { S3_SECRET_ACCESS_KEY: "wrong" });
  expectEqual("a wrong key is named", problem.includes("SignatureDoesNotMatch"), true);
  await run(["remove", name]);
  expectEqual("backups left", JSON.parse((await run(["list", "--json"])).output), []);
}

/** Litestream with the settings of deploy/ beside a server under load; the restored file is checked as the page describes. */
async function tryLitestream(): Promise<void> {
  const service = await startService({ engine: "sqlite" });
  const token = await service.token();
  const database = join(service.folder, "plantstore.db");
  const config = join(service.folder, "litestream.yml");
  const address = `s3://${BUCKET}/litestream\n      endpoint: ${ENDPOINT}\n      force-path-style: true`;
  const text = await Bun.file(join(ROOT, "deploy/litestream.yml")).text();
  const paths = text.replace("/var/lib/plantstore/plantstore.db\n    #", `${database}\n    #`);
  await Bun.write(config, paths.replace("s3://BUCKET/PREFIX", address));
  const keys = { LITESTREAM_ACCESS_KEY_ID: ACCESS_KEY_ID, LITESTREAM_SECRET_ACCESS_KEY: SECRET };
  const litestream = (...args: string[]) =>
    Bun.spawn(["litestream", ...args], {
      cwd: service.folder,
      env: { PATH: process.env.PATH ?? "", ...keys },
      stdout: Bun.file(join(service.folder, "litestream.log")),
      stderr: "inherit",
    });

  const replicating = litestream("replicate", "-config", config);
  atEnd(() => replicating.kill());
  const load = new SingleCreates(service.url, token, CONNECTIONS);
  let logBytes = 0;
  const watching = setInterval(() => {
    logBytes = Math.max(logBytes, statSync(`${database}-wal`).size);
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
  for (const args of ["create --to checked", "verify latest --from checked"]) {
    const { exitCode, problem } = await runBackupCommand(service, args.split(" "), settings);
    expectEqual(`backup ${args} takes what it restored`, exitCode === 0 || problem, true);
  }
  const copy = await startService({ engine: "sqlite", settings });
  const held = await everyPlant(copy.url, token);
  expectEqual("plants restored", held, await everyPlant(service.url, token));
  expectEqual("errors in the server's log", service.output().includes('"level":"error"'), false);
  console.log(
    `${held.size} plants were created in ${LOAD_MS / 1000} s; the log grew to ${Math.round(logBytes / 1e6)} MB`,
  );
}

/** Prints that both are equal, or throws. */
function expectEqual(what: string, found: unknown, expected: unknown): void {
  const [is, should] = [found, expected].map((value) => Bun.inspect(value).slice(0, 500));
  if (!Bun.deepEquals(found, expected)) throw new Error(`${what}: ${is}, and should be ${should}`);
  console.log(`ok: ${what}`);
}
