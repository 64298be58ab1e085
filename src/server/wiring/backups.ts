import { BackupService, type BackupSummary, type UnusableBackup } from "#backup/backup-service.ts";
import type { Destination } from "#backup/destination.ts";
import { openDestination } from "#backup/open-destination.ts";
import type { Caller } from "#core/caller.ts";
import { CannotWrite } from "#files/replace-file.ts";
import { RELEASE } from "../process/release.ts";
import { fileProblem } from "../process/user-name.ts";
import { InvalidSetting, readSettings, type Settings, sqlitePath } from "../settings.ts";
import { readIdentities } from "./identity-file.ts";

export type { BackupSummary, UnusableBackup };

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
    /** Makes a backup there. An error of a folder that cannot be written names it, its owner and the user. */
    create(target: Destination, ...by: readonly [Caller, GiveWay]): Promise<BackupSummary> {
      return service.create(target, ...by).catch((cause) => {
        if (!(cause instanceof CannotWrite)) throw cause;
        throw new Error(`No backup was made: ${writeProblem(target, cause)}`, { cause });
      });
    },
    /** The keys in an identity file as `age-keygen` writes it: BACKUP_IDENTITY, unless another is given. */
    async identities(path?: string): Promise<string[]> {
      if (path !== undefined) return readIdentities(path, "--identity");
      return settings.BACKUP_IDENTITY === undefined ? [] : readIdentities(settings.BACKUP_IDENTITY, "BACKUP_IDENTITY");
    },
  };
}

type GiveWay = Parameters<BackupService["create"]>[2];

/** Why a destination cannot be written, in a sentence that begins with its address. */
export function writeProblem({ address, remote }: Destination, cause: unknown): string {
  const reason = cause instanceof CannotWrite && cause.cause instanceof Error ? cause.cause : cause;
  return `${address} ${remote ? `cannot be written: ${(cause as Error).message}` : fileProblem(address, reason)}`;
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
