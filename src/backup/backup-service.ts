import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Caller } from "#core/caller.ts";
import { isNewestSchema } from "#storage/migrate.ts";
import { readDatabaseId } from "#storage/sqlite/snapshot.ts";
import { Thread } from "#threads/thread.ts";
import {
  backupBefore,
  type DatabaseId,
  findBackup,
  isOf,
  markVerified,
  readCatalogue,
  removeBackup,
} from "./catalogue.ts";
import { type BackupOptions, createBackup } from "./create-backup.ts";
import { type CopyOptions, enter } from "./database-writes.ts";
import type { Destination } from "./destination.ts";
import { type Backup, DamagedBackup, type Manifest } from "./manifest.ts";
import { removeScratchFolders } from "./remains.ts";
import { restoreBackup, verifyBackup, withRestored } from "./restore-backup.ts";
import { applyRetention, type RetentionRule } from "./retention.ts";
import type { WritingFunctions } from "./writing-worker.ts";

interface BackupServiceOptions extends Omit<BackupOptions, "destination" | "giveId"> {
  /** The destination of BACKUP_TO, where the rules apply. */
  readonly usual: Destination | undefined;
  readonly rules: readonly RetentionRule[];
}

/** A backup as shown by the commands. */
export interface BackupSummary extends Manifest {
  readonly name: string;
  readonly encrypted: boolean;
  /** `whole`, or why it cannot be restored, by the size of its file. */
  readonly state: string;
}

/** An item at the destination that cannot be restored. */
export type UnusableBackup = Pick<BackupSummary, "name" | "state">;

/** The backup that is meant, by its name or as `latest`. */
export interface ChosenBackup {
  readonly destination: Destination;
  readonly name: string;
  /** The id of another database whose backups are meant. */
  readonly database: DatabaseId;
}

/**
 * Decides about backups, for the commands and for the server's schedule: which are those of this database, when old ones
 * are removed, and what the audit log says.
 */
export class BackupService {
  constructor(private readonly options: BackupServiceOptions) {}

  /**
   * A thread of its own writes in the database. It would hold SQLite's lock for seconds if it had to wait for a processor
   * meanwhile, and creates with it. So `giveWay`, which gives the process a lower priority, leaves that thread the usual one.
   *
   * @param source the person or part of the service that makes it, for the audit log
   */
  async create(
    destination: Destination,
    source: Caller,
    giveWay: (besides: number | undefined) => void,
  ): Promise<BackupSummary> {
    const { database, usual, rules } = this.options;
    const start = () => new Worker(new URL("./writing-worker.ts", import.meta.url), { smol: true });
    const writing = new Thread<WritingFunctions>({ start, onFailed() {} });
    let made: BackupSummary;
    try {
      giveWay(await writing.call("begin", undefined));
      await writing.call("requireNoDrill", database);
      await this.#removeAbandoned();
      const giveId = () => writing.call("giveId", database);
      made = summary(await createBackup({ ...this.options, destination, giveId }));
      await writing.call("enter", { database, action: "backup.made", source, backup: made });
    } finally {
      writing.close();
    }
    if (made.database !== undefined && destination.address === usual?.address) {
      await applyRetention(destination, made.database, rules, Date.now()).catch((cause) => {
        throw new Error(`${made.name} was made, but older backups could not be removed: ${cause.message}`, { cause });
      });
    }
    return made;
  }

  /**
   * Those of the database, oldest first, and those that are without a manifest that can be read. The backups of earlier
   * releases name no database, and are in the list of each.
   */
  async list({ destination, database }: Omit<ChosenBackup, "name">) {
    const { backups, damaged, unfinished } = await readCatalogue(destination);
    const id = this.#id(database);
    const listed = backups.filter((backup) => backup.manifest.database === undefined || isOf(id, backup));
    const unusable = [
      ...damaged.map((name) => ({ name, state: "damaged manifest" })),
      ...unfinished.map((name) => ({ name, state: "no manifest" })),
    ];
    return { backups: listed.map(summary), unusable };
  }

  /** Restores the backup into a temporary folder, and records the success in its manifest. */
  async verify(chosen: ChosenBackup, identities: readonly string[]): Promise<BackupSummary> {
    const { destination } = chosen;
    const backup = await this.#find(chosen);
    await this.#removeAbandoned();
    await this.#naming(chosen, backup, () =>
      verifyBackup({ destination, backup, identities }, this.#temporaryFolder()),
    );
    return summary(await markVerified(destination, backup, new Date()));
  }

  /** The audit log of an older schema gets no entry of it. */
  async restore(
    chosen: ChosenBackup,
    identities: readonly string[],
    { into, ...copy }: CopyOptions & { readonly into: string },
    source: Caller,
  ) {
    const { destination } = chosen;
    const backup = await this.#find(chosen);
    const path = resolve(into);
    await this.#removeAbandoned(dirname(path));
    await this.#naming(chosen, backup, () => restoreBackup({ destination, backup, identities }, path, copy));
    const restored = summary(backup);
    const isOlder = !isNewestSchema(restored.schema);
    if (!isOlder) await enter({ database: path, action: "backup.restored", source, backup: restored });
    return { restored, isOlder };
  }

  /** Acts with a database that is restored into a temporary folder, checked and brought up to date, and removed then. */
  async withRestored<T>(
    chosen: ChosenBackup,
    identities: readonly string[],
    act: (database: string, backup: BackupSummary) => Promise<T>,
  ): Promise<T> {
    const { destination } = chosen;
    const backup = await this.#find(chosen);
    await this.#removeAbandoned();
    const options = { destination, backup, identities };
    return this.#naming(chosen, backup, () =>
      withRestored(options, this.#temporaryFolder(), (database) => act(database, summary(backup))),
    );
  }

  async remove(chosen: ChosenBackup): Promise<BackupSummary> {
    const backup = await this.#find(chosen);
    await removeBackup(chosen.destination, backup.name);
    return summary(backup);
  }

  /** The error of a damaged backup says which one to take instead. */
  async #naming<T>({ destination }: ChosenBackup, backup: Backup, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (cause) {
      if (!(cause instanceof DamagedBackup)) throw cause;
      const before = await backupBefore(destination, backup);
      const instead = before ? `the one before it is ${before.name}` : "there is no whole one before it";
      throw new DamagedBackup(`${backup.name} is damaged or cut; ${instead} (${cause.message})`, { cause });
    }
  }

  #find({ destination, name, database }: ChosenBackup): Promise<Backup> {
    return findBackup(destination, name, this.#id(database));
  }

  #id(given: DatabaseId): DatabaseId {
    return given ?? readDatabaseId(this.options.database);
  }

  /** Every run looks in every place where one before may have left a plain copy. */
  #removeAbandoned(...more: readonly string[]): Promise<void> {
    const { database } = this.options;
    return removeScratchFolders([dirname(database), tmpdir(), ...more]);
  }

  /** The database's folder, which has room for a second copy; on a machine that only verifies, the temporary folder. */
  #temporaryFolder(): string {
    const beside = dirname(this.options.database);
    return existsSync(beside) && process.env.TMPDIR === undefined ? beside : tmpdir();
  }
}

function summary({ name, manifest, problem = "whole" }: Backup): BackupSummary {
  return { name, ...manifest, encrypted: manifest.recipients.length > 0, state: problem };
}
