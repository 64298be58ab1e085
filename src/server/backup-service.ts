import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { findBackup, markVerified, readCatalogue, removeBackup } from "#backup/catalogue.ts";
import { createBackup } from "#backup/create-backup.ts";
import { type Destination, openDestination } from "#backup/destination.ts";
import type { Backup, Manifest } from "#backup/manifest.ts";
import { restoreBackup, verifyBackup } from "#backup/restore-backup.ts";
import { applyRetention } from "#backup/retention.ts";
import type { AuditSource } from "#core/audit.ts";
import { enterBackup } from "./backup-audit.ts";
import { CommandObserver } from "./command-observer.ts";
import { currentOperator } from "./operator.ts";
import { RELEASE } from "./release.ts";
import { InvalidSetting, readSettings, type Settings } from "./settings.ts";

const ON_POSTGRES =
  "Plantstore's backups are of SQLite databases, and DATABASE_URL names PostgreSQL: use pg_dump -Fc for a small database, " +
  "pgBackRest or the provider's point-in-time recovery for a large one (docs/operations.md)";

/** Backups by the settings, for the commands and for the server's schedule. */
export class BackupService {
  readonly #settings: Settings;
  /** The path of the SQLite file. */
  readonly #database: string;

  /** Throws InvalidSetting if the database cannot be backed up by a copy of its file. */
  constructor(settings: Settings) {
    this.#settings = settings;
    const { DATABASE_URL: url } = settings;
    if (!url.startsWith("sqlite:")) throw new InvalidSetting(ON_POSTGRES);
    this.#database = url.slice("sqlite:".length);
  }

  /** `to` is BACKUP_TO by default; BACKUP_KEEP applies only there. `plain` allows an unencrypted backup on S3. */
  async create({ to, plain = false, source }: NewBackup): Promise<BackupSummary> {
    const { BACKUP_RECIPIENTS: recipients, BACKUP_KEEP: rules, BACKUP_TO: usual } = this.#settings;
    const destination = this.destination(to, "--to");
    if (!plain) requireEncryption(destination, recipients);
    const backup = await createBackup({ database: this.#database, destination, recipients, version: RELEASE });
    const made = summary(backup);
    await enterBackup(this.#database, "backup.made", made, this.#actor(source));
    if (usual !== undefined && destination.address === this.destination(usual, "--to").address) {
      await applyRetention(destination, rules, Date.now()).catch((cause) => {
        throw new Error(`${made.name} was made, but older backups could not be removed: ${cause.message}`, { cause });
      });
    }
    return made;
  }

  /** Oldest first, with the names of the backups whose manifest is damaged. */
  async list(from?: string): Promise<{ backups: BackupSummary[]; damaged: readonly string[] }> {
    const { backups, damaged } = await readCatalogue(await this.#source(from));
    return { backups: backups.map(summary), damaged };
  }

  /** Restores the backup into a temporary folder, and records the success in its manifest. */
  async verify(name: string, { from, identity }: BackupSource): Promise<BackupSummary> {
    const destination = await this.#source(from);
    const backup = await findBackup(destination, name);
    await verifyBackup({ destination, backup, identities: await this.#identities(identity) }, this.#temporaryFolder());
    return summary(await markVerified(destination, backup, new Date()));
  }

  async restore(name: string, into: string, { from, identity }: BackupSource): Promise<BackupSummary> {
    const destination = await this.#source(from);
    const backup = await findBackup(destination, name);
    await restoreBackup({ destination, backup, identities: await this.#identities(identity) }, resolve(into));
    const restored = summary(backup);
    await enterBackup(resolve(into), "backup.restored", restored, this.#actor(currentOperator()));
    return restored;
  }

  async remove(name: string, { from }: Pick<BackupSource, "from">): Promise<BackupSummary> {
    const destination = await this.#source(from);
    const backup = await findBackup(destination, name);
    await removeBackup(destination, backup);
    return summary(backup);
  }

  /** `given` is BACKUP_TO by default; `option` is the option that names another destination, for the error. */
  destination(given: string | undefined, option: string): Destination {
    const { BACKUP_TO: usual, S3_ENDPOINT: endpoint, S3_REGION: region } = this.#settings;
    const address = given ?? usual;
    if (address === undefined)
      throw new InvalidSetting(`${option} or BACKUP_TO must name a folder or s3://BUCKET/PREFIX`);
    const { BACKUP_TO } = readSettings({ BACKUP_TO: address });
    const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = this.#settings;
    return openDestination(BACKUP_TO ?? address, { endpoint, region, accessKeyId, secretAccessKey });
  }

  async #source(from: string | undefined): Promise<Destination> {
    const destination = this.destination(from, "--from");
    if (!(await destination.exists())) throw new Error(`There is no folder ${destination.address} with backups`);
    return destination;
  }

  #actor(source: AuditSource) {
    return { source, entries: new CommandObserver(this.#settings) };
  }

  /** The keys in an identity file as written by `age-keygen`. */
  async #identities(given: string | undefined): Promise<string[]> {
    const path = given ?? this.#settings.BACKUP_IDENTITY;
    if (path === undefined) return [];
    const file = Bun.file(path);
    if (!(await file.exists())) throw new InvalidSetting(`There is no identity file ${path}`);
    const lines = (await file.text()).split("\n").map((line) => line.trim());
    const keys = lines.filter((line) => line.startsWith("AGE-SECRET-KEY-"));
    if (keys.length === 0) throw new InvalidSetting(`${path} holds no age identity (AGE-SECRET-KEY-…)`);
    return keys;
  }

  /** Beside the database there is room for a second one; a machine that only verifies uses its temporary folder. */
  #temporaryFolder(): string {
    const beside = dirname(this.#database);
    return existsSync(beside) && process.env.TMPDIR === undefined ? beside : tmpdir();
  }
}

/** Throws InvalidSetting if an unencrypted backup would be given to somebody else. */
export function requireEncryption({ remote, address }: Destination, recipients: readonly string[]): void {
  if (!remote || recipients.length > 0) return;
  throw new InvalidSetting(
    `A backup holds the secret of the service: BACKUP_RECIPIENTS must name age public keys for ${address}, or \`backup create\` be given --plain`,
  );
}

/** A backup as shown by the commands. */
export interface BackupSummary extends Manifest {
  readonly name: string;
  readonly encrypted: boolean;
}

function summary({ name, manifest }: Backup): BackupSummary {
  return { name, ...manifest, encrypted: manifest.recipients.length > 0 };
}

interface NewBackup {
  readonly to?: string | undefined;
  readonly plain?: boolean | undefined;
  /** The person or part of the service that makes it, for the audit log. */
  readonly source: AuditSource;
}

export interface BackupSource {
  /** BACKUP_TO by default. */
  readonly from?: string | undefined;
  /** The path of an age identity file; BACKUP_IDENTITY by default. */
  readonly identity?: string | undefined;
}
