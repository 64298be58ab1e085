import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type BackupJob, backupJob } from "#backup/backup-job.ts";
import type { BackupSummary } from "#backup/backup-service.ts";
import type { Destination } from "#backup/destination.ts";
import { checkRecipients } from "#backup/stored-form.ts";
import type { Job } from "#core/job.ts";
import type { Log } from "#core/log.ts";
import type { Observer } from "#core/observer.ts";
import { noteOutcome } from "#storage/outcomes.ts";
import type { Storage } from "#storage/storage.ts";
import { newMark } from "#threads/process-mark.ts";
import { runOwn } from "../process/own-process.ts";
import { InvalidSetting, type Settings, sqlitePath } from "../settings.ts";
import { openBackups, writeProblem } from "./backups.ts";

export interface ScheduledBackups {
  jobs(storage: Noting): readonly Job[];
  /** Tries what the backups need, once the service listens, and reports what fails: the service serves without them. */
  tryOut(storage: Noting): Promise<void>;
}

/** Outcomes are noted there, for `plantstore status`. */
type Noting = Pick<Storage, "db">;

export const NO_BACKUPS: ScheduledBackups = { jobs: () => [], tryOut: async () => {} };

/** The backup job, if BACKUP_TO is set. Throws InvalidSetting for settings by which no backup could ever be made. */
export async function backupJobs(
  settings: Settings,
  { observer, log }: { observer: Observer; log: Log },
): Promise<ScheduledBackups> {
  if (settings.BACKUP_TO === undefined) return NO_BACKUPS;
  const backups = openBackups(settings);
  backups.target();
  await checkRecipients(settings.BACKUP_RECIPIENTS).catch((error: Error) => {
    throw new InvalidSetting(error.message, { cause: error });
  });
  let { BACKUP_VERIFY: verify } = settings;
  const readsBackups = verify !== "never";
  if (verify !== "never" && settings.BACKUP_RECIPIENTS.length > 0 && settings.BACKUP_IDENTITY === undefined) {
    observer.notice(
      "Backups are not verified here: they are encrypted, and BACKUP_IDENTITY names no file to read them with",
    );
    verify = "never";
  }
  const jobs = (storage: Noting) => {
    const job = backupJob({
      everyMs: settings.BACKUP_EVERY,
      verify,
      observer,
      list: (signal) => runOwn(signal, "backup", "list", "--scheduled"),
      async create(signal) {
        const made = await runOwn<BackupSummary>(signal, "backup", "create", "--scheduled");
        log.info({ name: made.name, plants: made.plants, bytes: made.compressed }, "made a backup");
        await note(storage);
        return made;
      },
      async verifyOne(name, signal) {
        const verified = await runOwn<BackupSummary>(signal, "backup", "verify", name);
        log.info({ name }, "verified a backup");
        return verified;
      },
    });
    return [notingFailures(job, storage)];
  };
  return {
    jobs,
    async tryOut(storage) {
      const report = async (error: Error) => {
        observer.count("plantstore_failures_total", { part: "backup" });
        log.error({}, error.message);
        await note(storage, error);
      };
      await tryWriting(backups.target()).then(() => noticeSameDisk(settings, observer), report);
      if (readsBackups) await backups.identities().catch(report);
    },
  };
}

function notingFailures(job: BackupJob, storage: Noting): Job {
  return {
    ...job,
    async run(run) {
      try {
        return await job.run(run);
      } catch (error) {
        // A run that a stop has ended has not failed.
        if (!run.signal.aborted) await note(storage, error);
        throw error;
      }
    },
  };
}

/** A full disk may take no note either; the log has the failure in any case. */
function note({ db }: Noting, error?: unknown): Promise<void> {
  const problem = error instanceof Error ? error.message : error === undefined ? undefined : String(error);
  return noteOutcome(db, "backup", Date.now(), problem).catch(() => {});
}

/** Warns if backups and database share a disk. The folder was just written, or made by a trial run and removed again. */
function noticeSameDisk(settings: Settings, observer: Observer): void {
  const { BACKUP_TO: folder = "" } = settings;
  const database = sqlitePath(settings);
  if (database === undefined || folder.startsWith("s3://")) return;
  const { dev } = statSync(existsSync(folder) ? folder : dirname(resolve(folder)));
  if (dev !== statSync(database).dev) return;
  observer.notice("BACKUP_TO is on the disk of the database, and lost with it: set a folder of another disk, or S3");
}

/** Writes and removes a file. Rejects with an error that names the setting, the place, whose it is, and the user. */
async function tryWriting(destination: Destination): Promise<void> {
  const file = `trial.${newMark()}`;
  try {
    await destination.write(file, [new Uint8Array(1)]);
    await destination.remove(file);
  } catch (cause) {
    throw new Error(`No backup can be made: BACKUP_TO ${writeProblem(destination, cause)}`, { cause });
  }
}
