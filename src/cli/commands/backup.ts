import { constants, setPriority } from "node:os";
import { Command, Option } from "commander";
import { counted } from "#contract/counted.ts";
import type { BackupService, BackupSummary } from "#server/backup-service.ts";
import { printBackup, printBackups } from "../backup-output.ts";
import { command } from "../command.ts";
import { printNote } from "../output.ts";
import { UsageError } from "../report.ts";

const FROM = ["--from <destination>", "a folder or s3://bucket/prefix (default: BACKUP_TO)"] as const;
const NAME = ["<name>", "the backup's name, or latest"] as const;
const IDENTITY = ["--identity <file>", "the age identity that reads it (default: BACKUP_IDENTITY)"] as const;

const SCHEDULE = { actor: { kind: "system", id: "", name: "backup schedule" } } as const;

interface BackupCommandOptions {
  readonly to?: string;
  readonly from?: string;
  readonly into?: string;
  readonly identity?: string;
  readonly plain?: boolean;
  readonly scheduled?: boolean;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  const backup = new Command("backup").description("make, check and restore backups, beside a running server");
  backup.addCommand(createCommand());
  backup.addCommand(listCommand());
  backup.addCommand(verifyCommand());
  backup.addCommand(restoreCommand());
  backup.addCommand(removeCommand());
  return backup;
}

function createCommand(): Command {
  return command("create", "make a backup; prints its name", "plantstore backup create --to /backups")
    .option("--to <destination>", "a folder or s3://bucket/prefix (default: BACKUP_TO)")
    .option("--plain", "allow a backup to S3 that is not encrypted")
    .addOption(new Option("--scheduled", "enter it in the audit log as the server's").hideHelp())
    .action(async ({ to, plain, scheduled, json }: BackupCommandOptions) => {
      const service = await openService();
      const { currentOperator } = await import("#server/operator.ts");
      const source = scheduled ? SCHEDULE : currentOperator();
      const backup = await service.create({ to, plain, source });
      printBackup(backup, json, backup.name);
    });
}

function listCommand(): Command {
  return command(
    "list",
    "list the backups, oldest first",
    "plantstore backup list --from s3://example-bucket/plantstore",
  )
    .option(...FROM)
    .action(async ({ from, json }: BackupCommandOptions) => {
      const { backups, damaged } = await (await openService()).list(from);
      printBackups(backups, json);
      for (const name of damaged) printNote(`plantstore: the manifest of ${name} is damaged`);
    });
}

function verifyCommand(): Command {
  return command(
    "verify",
    "restore a backup into a temporary folder, check it, and open it as a server would",
    "plantstore backup verify latest",
  )
    .argument(...NAME)
    .option(...FROM)
    .option(...IDENTITY)
    .action(async (name: string, { json, ...source }: BackupCommandOptions) => {
      const backup = await (await openService()).verify(name, source);
      printBackup(backup, json, `${backup.name}  verified: ${holds(backup)}`);
    });
}

function restoreCommand(): Command {
  return command(
    "restore",
    "restore a backup into a new database file",
    "plantstore backup restore latest --into sqlite:restored.db",
  )
    .argument(...NAME)
    .requiredOption("--into <url>", "sqlite:PATH of a file that does not exist yet")
    .option(...FROM)
    .option(...IDENTITY)
    .action(async (name: string, { into = "", json, ...source }: BackupCommandOptions) => {
      const [, path] = /^sqlite:(.+)$/.exec(into) ?? [];
      if (path === undefined) throw new UsageError(`--into must be sqlite:PATH, and is ${JSON.stringify(into)}`);
      const backup = await (await openService()).restore(name, path, source);
      printBackup(backup, json, `${path} holds ${holds(backup)}`);
    });
}

function removeCommand(): Command {
  return command("remove", "remove a backup", "plantstore backup remove plantstore-20261121T161229Z-1z")
    .argument(...NAME)
    .option(...FROM)
    .action(async (name: string, { from, json }: BackupCommandOptions) => {
      const backup = await (await openService()).remove(name, { from });
      printBackup(backup, json, `${backup.name}  removed`);
    });
}

/** The process gets a low priority, so that a server on the same machine comes first. */
async function openService(): Promise<BackupService> {
  setPriority(constants.priority.PRIORITY_LOW);
  const { BackupService } = await import("#server/backup-service.ts");
  const { readSettings } = await import("#server/settings.ts");
  return new BackupService(readSettings(process.env));
}

function holds({ plants, accounts, last_number, at }: BackupSummary): string {
  return `${counted(plants, "plant")} of ${counted(accounts, "account")} as of ${at}, last number ${last_number}`;
}
