import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { addBulk, runBackupCommand } from "#test/support/backups.ts";
import { startService } from "#test/support/service.ts";
import { everyPlant } from "#test/support/single-creates.ts";
import { expectEqual } from "./expect-equal.ts";
import { BUCKET, type S3Gateway } from "./s3-gateway.ts";

/** Two parts of an upload. */
const MEBIBYTES = 26;

/** An encrypted backup on a store that speaks S3: made, listed, verified, restored, read by age and zstd, removed. */
export async function tryStore(gateway: S3Gateway): Promise<void> {
  const service = await startService({ engine: "sqlite" });
  const token = await service.token();
  await addBulk(service, token, MEBIBYTES);
  const identity = await generateX25519Identity();
  const identityFile = join(service.folder, "identity.txt");
  await Bun.write(identityFile, `${identity}\n`);
  const address = `s3://${BUCKET}/daily`;
  const settings = {
    ...gateway.settings,
    BACKUP_TO: address,
    BACKUP_RECIPIENTS: await identityToRecipient(identity),
    BACKUP_IDENTITY: identityFile,
  };
  const run = async (args: readonly string[], exitCode = 0, more: Record<string, string> = {}) => {
    const result = await runBackupCommand(service, args, { ...settings, ...more });
    const what = `backup ${args[0]} exits with ${exitCode}`;
    expectEqual(what, result.exitCode === exitCode || result.problem, true);
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
  const stored = join(gateway.bucket, "daily", `${name}.db.zst.age`);
  expectEqual(
    "the exit code of age -d | zstd -d",
    await Bun.spawn(["bash", "-c", script, identityFile, stored, byHand]).exited,
    0,
  );
  const sum = new Bun.CryptoHasher("sha256").update(await Bun.file(byHand).bytes()).digest("hex");
  expectEqual("the SHA-256 of what age and zstd restore", sum, listed.sha256.plain);

  const { problem } = await run(["list"], 1, { S3_SECRET_ACCESS_KEY: "wrong" });
  expectEqual("a wrong key is named", problem.includes("SignatureDoesNotMatch"), true);
  await run(["remove", name]);
  expectEqual("backups left", JSON.parse((await run(["list", "--json"])).output), []);
}
