import { existsSync } from "node:fs";
import { open, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkDatabase, copyDatabase, copySizeMax, type DatabaseContent } from "#storage/sqlite/snapshot.ts";
import { backupName, contentFile, manifestFile } from "./backup-name.ts";
import { keepManifest } from "./catalogue.ts";
import type { Destination } from "./destination.ts";
import type { Backup } from "./manifest.ts";
import { makeSnapshotFolder } from "./snapshot-folder.ts";
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

/** A backup cannot be made; the message says why. */
class BackupRefused extends Error {}

const READ_BYTES = 1024 * 1024;

/**
 * Makes a backup while others write the database: a checked copy of one snapshot, compressed and encrypted on its way
 * to the destination, and the manifest last. A process that dies during this leaves no manifest, and so no backup.
 */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const { database, destination, recipients } = options;
  if (!existsSync(database)) throw new BackupRefused(`There is no database file ${database}`);
  await checkRecipients(recipients);
  await checkRoom(database);
  const at = new Date();
  const copy = await takeCopy(database);
  try {
    const { name, at: namedAt } = await freeName(destination, at, copy.content.lastNumber);
    const file = contentFile(name, recipients);
    const { plain, stored } = await store(copy.chunks, recipients, (chunks) => destination.write(file, chunks));
    return await keepManifest(destination, name, {
      version: options.version,
      schema: copy.content.schema,
      at: namedAt.toISOString(),
      engine: "sqlite",
      plants: copy.content.plants,
      accounts: copy.content.accounts,
      last_number: copy.content.lastNumber,
      bytes: plain.bytes,
      sha256: { plain: plain.sha256, stored: stored.sha256 },
      compressed: stored.bytes,
      recipients: [...recipients],
      verified_at: null,
    });
  } finally {
    await copy.close();
  }
}

async function checkRoom(database: string): Promise<void> {
  const needed = copySizeMax(database);
  const { bavail, bsize } = await statfs(dirname(database));
  if (bavail * bsize < needed) {
    const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`;
    throw new BackupRefused(
      `A backup needs ${mebibytes(needed)} of free space beside ${database} for a copy of it, and ${mebibytes(bavail * bsize)} are free`,
    );
  }
}

interface Copy {
  readonly content: DatabaseContent;
  readonly chunks: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** A checked copy whose name is already removed, so that it disappears with this process in any case. */
async function takeCopy(database: string): Promise<Copy> {
  const folder = await makeSnapshotFolder(database);
  try {
    const path = join(folder, "plantstore.db");
    copyDatabase(database, path);
    const file = await open(path, "r");
    try {
      const chunks = file.createReadStream({ highWaterMark: READ_BYTES, start: 0, autoClose: false });
      return { content: checkDatabase(path, "quick"), chunks, close: () => file.close() };
    } catch (error) {
      await file.close();
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Two backups with the same second and last number are told apart by the second in their names. */
async function freeName(destination: Destination, at: Date, lastNumber: number): Promise<{ name: string; at: Date }> {
  const files = new Set(await destination.list());
  for (let ms = at.getTime(); ; ms += 1000) {
    const name = backupName(new Date(ms), lastNumber);
    const taken = [manifestFile(name), contentFile(name, []), contentFile(name, ["any"])];
    if (!taken.some((file) => files.has(file))) return { name, at: new Date(ms) };
  }
}
