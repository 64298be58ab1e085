import { backupJob } from "#backup/backup-job.ts";
import type { BackupSummary } from "#backup/backup-service.ts";
import { checkRecipients } from "#backup/stored-form.ts";
import type { Job } from "#core/job.ts";
import type { Log } from "#core/log.ts";
import type { Observer } from "#core/observer.ts";
import { runOwn } from "../process/own-process.ts";
import { InvalidSetting, type Settings } from "../settings.ts";
import { openBackups } from "./backups.ts";

/** The backup job, if BACKUP_TO is set. Throws InvalidSetting if no backup could ever be made, or verified where one is to be. */
export async function backupJobs(
  settings: Settings,
  { observer, log }: { observer: Observer; log: Log },
): Promise<Job[]> {
  if (settings.BACKUP_TO === undefined) return [];
  const backups = openBackups(settings);
  backups.target();
  await checkRecipients(settings.BACKUP_RECIPIENTS).catch((error: Error) => {
    throw new InvalidSetting(error.message, { cause: error });
  });
  let { BACKUP_VERIFY: verify } = settings;
  if (verify !== "never") await backups.identities();
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
    list: (signal) => runOwn(signal, "backup", "list", "--scheduled"),
    async create(signal) {
      const made = await runOwn<BackupSummary>(signal, "backup", "create", "--scheduled");
      log.info({ name: made.name, plants: made.plants, bytes: made.compressed }, "made a backup");
      return made;
    },
    async verifyOne(name, signal) {
      const verified = await runOwn<BackupSummary>(signal, "backup", "verify", name);
      log.info({ name }, "verified a backup");
      return verified;
    },
  });
  return [job];
}
