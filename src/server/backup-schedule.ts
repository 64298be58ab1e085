import { backupJob } from "#backup/backup-job.ts";
import type { Job } from "#core/job.ts";
import type { Log } from "#core/log.ts";
import type { Observer } from "#core/observer.ts";
import { BackupService, type BackupSummary, requireEncryption } from "./backup-service.ts";
import { ownCommand } from "./packed.ts";
import type { Settings } from "./settings.ts";

/** The backup job, if BACKUP_TO is set. Throws InvalidSetting if no backup could ever be made. */
export function backupJobs(settings: Settings, { observer, log }: { observer: Observer; log: Log }): Job[] {
  const { BACKUP_TO: to, BACKUP_EVERY: everyMs, BACKUP_RECIPIENTS: recipients } = settings;
  if (to === undefined) return [];
  const destination = new BackupService(settings).destination(to, "BACKUP_TO");
  requireEncryption(destination, recipients);
  let { BACKUP_VERIFY: verify } = settings;
  if (verify !== "never" && recipients.length > 0 && settings.BACKUP_IDENTITY === undefined) {
    observer.notice(
      "Backups are not verified here: they are encrypted, and BACKUP_IDENTITY names no file to read them with",
    );
    verify = "never";
  }
  const job = backupJob({
    destination,
    everyMs,
    verify,
    observer,
    async create(signal) {
      const { name, plants, compressed } = await run(signal, "create", "--scheduled");
      log.info({ name, plants, bytes: compressed }, "made a backup");
    },
    async verifyLatest(signal) {
      const { name } = await run(signal, "verify", "latest");
      log.info({ name }, "verified a backup");
    },
  });
  return [job];
}

/** Runs in a separate process, so that the serving thread never waits. */
async function run(signal: AbortSignal, ...args: readonly string[]): Promise<BackupSummary> {
  const child = Bun.spawn(ownCommand("backup", ...args, "--json"), {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    signal,
    killSignal: "SIGKILL",
  });
  const [output, problem] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  signal.throwIfAborted();
  if (code !== 0) throw new Error(problem.trim() || `plantstore backup ${args[0]} ended with exit code ${code}`);
  // Its audit entries, as lines of the log.
  process.stdout.write(problem);
  return JSON.parse(output) as BackupSummary;
}
