import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { databaseBytes, readDatabaseId } from "#storage/sqlite/snapshot.ts";
import { type SnapshotCopy, withSnapshotCopy } from "#storage/sqlite/snapshot-copy.ts";
import { keepManifest, removeBackup, removeRemains, reserveName } from "./catalogue.ts";
import type { Destination } from "./destination.ts";
import { type Backup, contentFile } from "./manifest.ts";
import { checkRecipients, store } from "./stored-form.ts";

export interface BackupOptions {
  /** The path of the SQLite file. */
  readonly database: string;
  readonly destination: Destination;
  /** age recipients, such as `age1…`; without any, the backup is not encrypted. */
  readonly recipients: readonly string[];
  /** The release of Plantstore that makes the backup. */
  readonly version: string;
  /** Gives the database the random id by which its backups name it. */
  giveId(database: string): Promise<void>;
}

/**
 * Makes a backup of a database while others write it: a copy of one snapshot, compressed and encrypted on its way to the
 * destination, and the manifest once all pages of that snapshot were checked. A process that dies during this leaves no
 * manifest, and so no backup.
 */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const { database, destination, recipients, giveId } = options;
  if (!existsSync(database)) throw new Error(`There is no database file ${database}`);
  await checkRecipients(recipients);
  await checkRoom(database);
  if (!readDatabaseId(database)) await giveId(database);
  return withSnapshotCopy(database, async (copy) => {
    const start = new Date();
    // A store may allow no removal.
    await removeRemains(destination, start.getTime()).catch(() => undefined);
    const { name, at, free } = await reserveName(destination, start, copy.lastNumber);
    try {
      return await storeCopy(options, name, at, copy);
    } catch (error) {
      await removeBackup(destination, name).catch(() => undefined);
      throw error;
    } finally {
      await free();
    }
  });
}

async function storeCopy(
  { destination, recipients, version }: BackupOptions,
  name: string,
  at: Date,
  copy: SnapshotCopy,
): Promise<Backup> {
  const file = contentFile(name, recipients);
  const { plain, stored } = await store(copy.chunks(), recipients, (compressed) => destination.write(file, compressed));
  const content = await copy.checked();
  return keepManifest(destination, name, {
    version,
    schema: content.schema,
    at: at.toISOString(),
    engine: "sqlite",
    plants: content.plants,
    accounts: content.accounts,
    last_number: content.lastNumber,
    bytes: plain.bytes,
    sha256: { plain: plain.sha256, stored: stored.sha256 },
    compressed: stored.bytes,
    recipients: [...recipients],
    verified_at: null,
    database: content.database,
  });
}

/** The write-ahead log grows by what others write meanwhile. */
async function checkRoom(database: string): Promise<void> {
  const needed = databaseBytes(database);
  const { bavail, bsize } = await statfs(dirname(database));
  if (bavail * bsize < needed) {
    const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`;
    throw new Error(
      `A backup needs ${mebibytes(needed)} of free space beside ${database} for its write-ahead log, and ${mebibytes(bavail * bsize)} are free`,
    );
  }
}
