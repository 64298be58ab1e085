import { backupJob } from "#backup/backup-job.ts";
import { BackupService, type BackupSummary } from "#backup/backup-service.ts";
import type { Destination } from "#backup/destination.ts";
import { openDestination } from "#backup/open-destination.ts";
import { isIdentity } from "#backup/stored-form.ts";
import type { Job } from "#core/job.ts";
import type { Log } from "#core/log.ts";
import type { Observer } from "#core/observer.ts";
import { ownCommand } from "./packed.ts";
import { RELEASE } from "./release.ts";
import { InvalidSetting, readSettings, type Settings, sqlitePath } from "./settings.ts";

export type { BackupSummary };

const ON_POSTGRES =
  "Plantstore's backups are of SQLite databases, and DATABASE_URL names PostgreSQL: use pg_dump -Fc for a small database, " +
  "pgBackRest or the provider's point-in-time recovery for a large one (docs/operations.md)";

export type Backups = ReturnType<typeof openBackups>;

/** Backups by the settings. Throws InvalidSetting if the database cannot be backed up by a copy of its file. */
export function openBackups(settings: Settings) {
  const { BACKUP_TO: usual, BACKUP_RECIPIENTS: recipients } = settings;
  const database = sqlitePath(settings);
  if (database === undefined) throw new InvalidSetting(ON_POSTGRES);
  const destination = (given: string | undefined, option: string) => destinationOf(settings, given ?? usual, option);
  const service = new BackupService({
    database,
    usual: usual === undefined ? undefined : destination(usual, "--to"),
    rules: settings.BACKUP_KEEP,
    recipients,
    version: RELEASE,
  });
  return {
    service,
    /** A destination that is there, to read from: BACKUP_TO, unless another is given. */
    async source(from?: string): Promise<Destination> {
      const source = destination(from, "--from");
      if (!(await source.exists())) throw new Error(`There is no folder ${source.address} with backups`);
      return source;
    },
    /** A destination for a new backup, which `plain` allows to be unencrypted on another's machine. */
    target(to?: string, plain = false): Destination {
      const target = destination(to, "--to");
      if (plain || !target.remote || recipients.length > 0) return target;
      throw new InvalidSetting(
        `A backup holds the secret of the service: BACKUP_RECIPIENTS must name age public keys for ${target.address}, or \`backup create\` be given --plain`,
      );
    },
    /** The keys in an identity file as `age-keygen` writes it: BACKUP_IDENTITY, unless another is given. */
    async identities(path = settings.BACKUP_IDENTITY): Promise<string[]> {
      return path === undefined ? [] : readIdentities(path);
    },
  };
}

/** `option` is the one that names another destination than BACKUP_TO, for the error. */
function destinationOf(settings: Settings, given: string | undefined, option: string): Destination {
  const { BACKUP_TO: address } = readSettings({ BACKUP_TO: given });
  if (address === undefined)
    throw new InvalidSetting(`${option} or BACKUP_TO must name a folder or s3://BUCKET/PREFIX`);
  const { S3_ENDPOINT: endpoint, S3_REGION: region } = settings;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  return openDestination(address, { endpoint, region, accessKeyId, secretAccessKey });
}

async function readIdentities(path: string): Promise<string[]> {
  const file = Bun.file(path);
  if (!(await file.exists())) throw new InvalidSetting(`There is no identity file ${path}`);
  const keys: string[] = [];
  for (const [index, text] of (await file.text()).split("\n").entries()) {
    const line = text.trim();
    if (line === "" || line.startsWith("#")) continue;
    if (!(await isIdentity(line)))
      throw new InvalidSetting(`Line ${index + 1} of ${path} is not an age identity (AGE-SECRET-KEY-…), or not whole`);
    keys.push(line);
  }
  if (keys.length === 0) throw new InvalidSetting(`${path} holds no age identity (AGE-SECRET-KEY-…)`);
  return keys;
}

/** The backup job, if BACKUP_TO is set. Throws InvalidSetting if no backup could ever be made. */
export function backupJobs(settings: Settings, { observer, log }: { observer: Observer; log: Log }): Job[] {
  if (settings.BACKUP_TO === undefined) return [];
  openBackups(settings).target();
  let { BACKUP_VERIFY: verify } = settings;
  if (verify !== "never" && settings.BACKUP_RECIPIENTS.length > 0 && settings.BACKUP_IDENTITY === undefined) {
    observer.notice(
      "Backups are not verified here: they are encrypted, and BACKUP_IDENTITY names no file to read them with",
    );
    verify = "never";
  }
  const job = backupJob({
    everyMs: settings.BACKUP_EVERY,
    verify,
    observer,
    list: (signal) => run(signal, "list", "--scheduled"),
    async create(signal) {
      const made = await run<BackupSummary>(signal, "create", "--scheduled");
      log.info({ name: made.name, plants: made.plants, bytes: made.compressed }, "made a backup");
      return made;
    },
    async verifyOne(name, signal) {
      const verified = await run<BackupSummary>(signal, "verify", name);
      log.info({ name }, "verified a backup");
      return verified;
    },
  });
  return [job];
}

/** The last line of a command that has failed. */
function problemIn(notes: string): string | undefined {
  const line = notes.trim().split("\n").at(-1);
  try {
    return JSON.parse(line ?? "").message;
  } catch {
    return line;
  }
}

/**
 * Runs the command in a separate process, so that the serving thread never waits, and resolves with what it has printed. A
 * stop of the service does not wait for the process, which removes what it has made and ends by itself.
 */
async function run<Printed>(signal: AbortSignal, ...args: readonly string[]): Promise<Printed> {
  signal.throwIfAborted();
  const child = Bun.spawn(ownCommand("backup", ...args, "--json"), { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const stop = () => {
    child.kill("SIGTERM");
    reject(signal.reason);
  };
  signal.addEventListener("abort", stop);
  try {
    const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const;
    const [output, notes, code] = await Promise.race([Promise.all([...texts, child.exited]), ended]);
    if (code !== 0) throw new Error(problemIn(notes) || `plantstore backup ${args[0]} ended with exit code ${code}`);
    return JSON.parse(output);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
