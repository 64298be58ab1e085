import { readdirSync } from "node:fs";
import os from "node:os";
import { type Command, Option } from "commander";
import { counted } from "#contract/counted.ts";
import { HOUR_MS } from "#core/duration.ts";
import type { BackupSummary, Backups, UnusableBackup } from "#server/wiring/backups.ts";
import { command, group, STORE_OPTION } from "../command.ts";
import { type Columns, printJson, printNote, printResult, printTable } from "../output.ts";
import { messageOf, UsageError } from "../report.ts";
import { withoutSecrets } from "../secrets.ts";

const NAME = ["<name>", "the backup's name, or latest"] as const;
const IDENTITY = ["--identity <file>", "the age identity that reads it (default: BACKUP_IDENTITY)"] as const;

const SCHEDULE = { actor: { kind: "system", id: "", name: "backup schedule" } } as const;
/** Shorter than the day after which other processes take what a run has left for abandoned. */
const RUN_HOURS_MAX = 12;

interface BackupCommandOptions {
  readonly to?: string;
  readonly from?: string;
  readonly database?: string;
  readonly into?: string;
  readonly identity?: string;
  readonly plain?: boolean;
  readonly drill?: boolean;
  readonly newId?: boolean;
  readonly scheduled?: boolean;
  readonly json?: boolean;
}

interface ExtractOptions extends Pick<BackupCommandOptions, "from" | "database" | "identity" | "json"> {
  readonly account: string;
  readonly to: string;
}

export function backupCommand(): Command {
  return group(
    "backup",
    "make, check and restore backups, beside a running server",
    command("create", "make a backup; prints its name", "plantstore backup create --to /backups")
      .option("--to <destination>", "a folder or s3://bucket/prefix (default: BACKUP_TO)")
      .option("--plain", "allow a backup to S3 that is not encrypted")
      .addOption(new Option("--scheduled", "enter it in the audit log as the server's").hideHelp())
      .action(async ({ to, plain, scheduled, json }: BackupCommandOptions) => {
        const { currentOperator, requireDatabaseFile } = await import("#server/operator/operator.ts");
        const { readSettings } = await import("#server/settings.ts");
        const source = scheduled ? SCHEDULE : currentOperator();
        requireDatabaseFile(readSettings(process.env));
        const create = (backups: Backups) => backups.create(backups.target(to, plain), source, giveWay);
        const backup = await withBackups(create, "later").catch(async (error: unknown) => {
          const { noteFailedBackup } = await import("#server/operator/failed-backup.ts");
          // The schedule notes its own failures.
          if (to === undefined && !scheduled) await noteFailedBackup(withoutSecrets(messageOf(error)));
          throw error;
        });
        printResult(json, backup, backup.name);
      }),
    reading(
      "list",
      "list the backups, oldest first, each with its state by a look at its file",
      "plantstore backup list --from s3://example-bucket/plantstore",
    )
      .addOption(new Option("--scheduled", "list nothing where no backup was made yet").hideHelp())
      .action(async ({ from, database, scheduled, json }: BackupCommandOptions) => {
        const { backups, unusable } = await withBackups(async ({ service, source, target }) =>
          service.list({ destination: scheduled ? target(from) : await source(from), database }),
        );
        const rows = [...backups, ...unusable].sort((a, b) => (a.name < b.name ? -1 : 1));
        if (json) printJson(rows);
        else printTable(rows, COLUMNS, "always");
      }),
    ...restoreCommands(),
    reading("remove", "remove a backup", "plantstore backup remove plantstore-20261121T161229Z-1z")
      .argument(...NAME)
      .action(async (name: string, { from, database, json }: BackupCommandOptions) => {
        const backup = await withBackups(async ({ service, source }) =>
          service.remove({ destination: await source(from), name, database }),
        );
        printResult(json, backup, `${backup.name}  removed`);
      }),
  );
}

/** The commands that read a backup, and take the key of an encrypted one. */
function restoreCommands(): Command[] {
  return [
    reading(
      "verify",
      "restore a backup into a temporary folder, check it, and open it as a server would",
      "plantstore backup verify latest",
    )
      .argument(...NAME)
      .option(...IDENTITY)
      .action(async (name: string, { from, database, identity, json }: BackupCommandOptions) => {
        const backup = await withBackups(async ({ service, source, identities }) =>
          service.verify({ destination: await source(from), name, database }, await identities(identity)),
        );
        printResult(json, backup, `${backup.name}  verified: ${holds(backup)}`);
      }),
    reading(
      "restore",
      "restore a backup into a new database file",
      "plantstore backup restore latest --into sqlite:restored.db",
    )
      .argument(...NAME)
      .requiredOption("--into <url>", "sqlite:PATH of a file that does not exist yet")
      .option("--drill", "mark the copy: a service on it sends nothing, and makes no backups and no certificate")
      .option("--new-id", "make it another database, to be served beside the original")
      .option(...IDENTITY)
      .action(async (name: string, { from, database, into = "", identity, json, ...copy }: BackupCommandOptions) => {
        const [, path] = /^sqlite:(.+)$/.exec(into) ?? [];
        if (path === undefined) throw new UsageError(`--into must be sqlite:PATH, and is ${JSON.stringify(into)}`);
        const { currentOperator } = await import("#server/operator/operator.ts");
        const { restored, isOlder } = await withBackups(async ({ service, source, identities }) => {
          const chosen = { destination: await source(from), name, database };
          const { drill = false, newId = false } = copy;
          return service.restore(chosen, await identities(identity), { into: path, drill, newId }, currentOperator());
        });
        const schema = isOlder
          ? ", in the schema of an older Plantstore, which `plantstore serve` brings up to date"
          : "";
        printResult(json, restored, `${path} holds ${holds(restored)}${schema}`);
      }),
    reading(
      "extract",
      "write the plants of one store as of a backup to a file, which `plants import` brings back",
      "plantstore backup extract latest --account grower@example.com --to grower.ndjson",
    )
      .argument(...NAME)
      .requiredOption("--account <account>", STORE_OPTION)
      .requiredOption("--to <file>", "a file that does not exist yet, of NDJSON")
      .option(...IDENTITY)
      .action(async (name: string, options: ExtractOptions) => {
        const { from, database, account, to, identity, json } = options;
        const { extractStore } = await import("#server/operator/extract-store.ts");
        const extracted = await withBackups(async ({ service, source, identities }) => {
          const chosen = { destination: await source(from), name, database };
          return service.withRestored(chosen, await identities(identity), async (path, backup) => {
            return { name: backup.name, at: backup.at, ...(await extractStore(path, account, to)) };
          });
        });
        const { plants, at } = extracted;
        printResult(json, { ...extracted, file: to }, `${to} holds ${counted(plants, "plant")} as of ${at}`);
      }),
  ];
}

/** A command about backups that are there. */
function reading(...words: Parameters<typeof command>): Command {
  return command(...words)
    .option("--from <destination>", "a folder or s3://bucket/prefix (default: BACKUP_TO)")
    .option("--database <id>", "the backups of another database that are there, by its id");
}

/** The command ends some time, whatever it waits for. */
async function withBackups<T>(act: (backups: Backups) => Promise<T>, givesWay: "now" | "later" = "now"): Promise<T> {
  if (givesWay === "now") giveWay();
  // A restored database and the folders on the way are for this user alone, whatever the umask.
  process.umask(0o077);
  setTimeout(() => {
    printNote(`plantstore: The command was ended after ${RUN_HOURS_MAX} hours`);
    process.exit(1);
  }, RUN_HOURS_MAX * HOUR_MS).unref();
  const { openBackups } = await import("#server/wiring/backups.ts");
  const { readSettings } = await import("#server/settings.ts");
  return act(openBackups(readSettings(process.env)));
}

/**
 * The process gets a low priority, so that a server on this machine comes first. On Linux each thread has one of its own, and
 * those that compress and write have begun.
 */
function giveWay(besides?: number): void {
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid];
  for (const thread of threads) {
    if (thread === besides) continue;
    try {
      os.setPriority(thread, os.constants.priority.PRIORITY_LOW);
    } catch {
      // The thread has ended meanwhile.
    }
  }
}

const COLUMNS: Columns<BackupSummary | UnusableBackup> = {
  NAME: ({ name }) => name,
  STATE: ({ state }) => state,
  AT: (row) => ("at" in row ? row.at : ""),
  BYTES: (row) => ("at" in row ? String(row.bytes) : ""),
  PLANTS: (row) => ("at" in row ? String(row.plants) : ""),
  "LAST NUMBER": (row) => ("at" in row ? String(row.last_number) : ""),
  VERIFIED: (row) => ("at" in row ? (row.verified_at ?? "never") : ""),
  ENCRYPTED: (row) => ("at" in row ? (row.encrypted ? "yes" : "no") : ""),
  DATABASE: (row) => ("at" in row ? (row.database ?? "not named") : ""),
};

function holds({ plants, accounts, last_number, at }: BackupSummary): string {
  return `${counted(plants, "plant")} of ${counted(accounts, "account")} as of ${at}, last number ${last_number}`;
}
