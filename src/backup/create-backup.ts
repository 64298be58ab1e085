import { existsSync } from "node:fs";
import { open, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openStorage } from "#storage/open.ts";
import {
  checkDatabase,
  checkOriginal,
  copyDatabase,
  copySizeMax,
  DATABASE_ID,
  readDatabaseId,
} from "#storage/sqlite/snapshot.ts";
import { keepManifest, removeBackup, removeRemains, reserveName } from "./catalogue.ts";
import type { Destination } from "./destination.ts";
import { type Backup, contentFile } from "./manifest.ts";
import { inScratchFolder } from "./remains.ts";
import { checkRecipients, store } from "./stored-form.ts";

export interface BackupOptions {
  /** The path of the SQLite file. */
  readonly database: string;
  readonly destination: Destination;
  /** age recipients, such as `age1…`; without any, the backup is not encrypted. */
  readonly recipients: readonly string[];
  /** The release of Plantstore that makes the backup. */
  readonly version: string;
}

/**
 * Makes a backup of a checked database while others write it: a copy of one snapshot, compressed and encrypted on its way
 * to the destination, and the manifest last. A process that dies during this leaves no manifest, and so no backup.
 */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const { database, destination, recipients } = options;
  if (!existsSync(database)) throw new Error(`There is no database file ${database}`);
  await checkRecipients(recipients);
  await checkRoom(database);
  checkOriginal(database);
  if (!readDatabaseId(database)) await giveId(database);
  const start = new Date();
  const copy = await takeCopy(database);
  try {
    // A store may allow no removal.
    await removeRemains(destination, start.getTime()).catch(() => undefined);
    const { name, at, free } = await reserveName(destination, start, copy.content.lastNumber);
    try {
      return await storeCopy(options, name, at, copy);
    } catch (error) {
      await removeBackup(destination, name).catch(() => undefined);
      throw error;
    } finally {
      await free();
    }
  } finally {
    await copy.close();
  }
}

async function storeCopy(
  { destination, recipients, version }: BackupOptions,
  name: string,
  at: Date,
  { content, chunks }: Awaited<ReturnType<typeof takeCopy>>,
): Promise<Backup> {
  const file = contentFile(name, recipients);
  const { plain, stored } = await store(chunks, recipients, (compressed) => destination.write(file, compressed));
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

async function giveId(database: string): Promise<void> {
  const { records } = await openStorage(`sqlite:${database}`);
  await records.keptSecret(DATABASE_ID, () => crypto.randomUUID()).finally(() => records.close());
}

async function checkRoom(database: string): Promise<void> {
  const needed = copySizeMax(database);
  const { bavail, bsize } = await statfs(dirname(database));
  if (bavail * bsize < needed) {
    const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`;
    throw new Error(
      `A backup needs ${mebibytes(needed)} of free space beside ${database} for a copy of it, and ${mebibytes(bavail * bsize)} are free`,
    );
  }
}

/** A copy whose name is already removed, so that it disappears with this process in any case. */
async function takeCopy(database: string) {
  return inScratchFolder("backup", dirname(database), async (folder) => {
    const path = join(folder, "plantstore.db");
    copyDatabase(database, path);
    const file = await open(path, "r");
    try {
      const chunks = file.createReadStream({ highWaterMark: 1024 * 1024, start: 0, autoClose: false });
      return { content: checkDatabase(path, "counts"), chunks, close: () => file.close() };
    } catch (error) {
      await file.close();
      throw error;
    }
  });
}
