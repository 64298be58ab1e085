import { existsSync } from "node:fs";
import { copyFile, link, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "#core/failure.ts";
import type { Reads } from "#core/reads.ts";
import { CannotWrite, syncFolder, writeDurably } from "#files/replace-file.ts";
import { isNewestSchema } from "#storage/migrate.ts";
import { openStorage } from "#storage/open.ts";
import { checkDatabase } from "#storage/sqlite/database-check.ts";
import type { DatabaseContent } from "#storage/sqlite/snapshot.ts";
import type { Destination } from "./destination.ts";
import { type Backup, contentFile, DamagedBackup } from "./manifest.ts";
import { inScratchFolder } from "./remains.ts";
import { type Sums, unstore } from "./stored-form.ts";

export interface RestoreOptions {
  readonly destination: Destination;
  readonly backup: Backup;
  /** age identities, such as `AGE-SECRET-KEY-1…`; required for an encrypted backup. */
  readonly identities: readonly string[];
}

/** Restores the backup into a temporary folder and opens it as a server would. Throws DamagedBackup. */
export async function verifyBackup(options: RestoreOptions, temporaryFolder: string): Promise<void> {
  await inScratchFolder("verify", temporaryFolder, async (folder) => {
    const path = join(folder, "plantstore.db");
    await restoreChecked(options, path);
    await openAsServer(options.backup.name, path);
  });
}

/** Restores the backup into a new file, which gets its name only after all of it was checked. */
export async function restoreBackup(options: RestoreOptions, path: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    if (existsSync(path + suffix)) {
      throw new Error(`${path}${suffix} exists already; a backup is restored into a new file only`);
    }
  }
  const parent = dirname(path);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await inScratchFolder("restore", parent, async (folder) => {
    const draft = join(folder, "plantstore.db");
    await restoreChecked(options, draft);
    // What is restored keeps its schema, also an older one, until a server is started on it.
    const copy = join(folder, "copy.db");
    const isNewest = isNewestSchema(options.backup.manifest.schema);
    if (!isNewest) await copyFile(draft, copy);
    await openAsServer(options.backup.name, isNewest ? draft : copy);
    // Unlike a rename, a link never replaces a file that was created in the meantime.
    await link(draft, path).catch((cause) => {
      throw new Error(`${path} cannot be made: ${cause.message}`, { cause });
    });
    await syncFolder(parent);
  });
}

async function restoreChecked(options: RestoreOptions, path: string): Promise<void> {
  const { name, manifest } = options.backup;
  const { bytes, compressed, sha256 } = manifest;
  const plain = { bytes, sha256: sha256.plain };
  const stored = { bytes: compressed, sha256: sha256.stored };
  if (!Bun.deepEquals(await fetchInto(options, path), { plain, stored })) {
    throw new DamagedBackup(`${name} is damaged: its file is not the one that was written`);
  }
  const { bytes: _bytes, ...content } = await checked(name, path);
  // The manifest of an earlier release does not name the database.
  const { schema, plants, accounts, last_number: lastNumber, database = content.database } = manifest;
  if (!Bun.deepEquals(content, { schema, plants, accounts, lastNumber, database })) {
    throw new DamagedBackup(`${name} is damaged: its database does not hold what its manifest says`);
  }
}

async function checked(name: string, path: string): Promise<DatabaseContent> {
  return checkDatabase(path).catch((cause) => {
    throw cause instanceof Failure ? cause : new DamagedBackup(`${name} is damaged. ${cause.message}`, { cause });
  });
}

async function fetchInto({ destination, backup, identities }: RestoreOptions, path: string): Promise<Sums> {
  const { name, manifest } = backup;
  const encrypted = manifest.recipients.length > 0;
  if (encrypted && identities.length === 0) {
    throw new Error(`${name} is encrypted; --identity must name the file with the age identity that can read it`);
  }
  try {
    const stored = await destination.read(contentFile(name, manifest.recipients));
    return await unstore(stored, encrypted ? identities : [], manifest.bytes, (chunks) => writeDurably(path, chunks));
  } catch (cause) {
    if (cause instanceof CannotWrite) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    // The library has no class for this error.
    if (/no identity matched/.test(reason)) {
      throw new Error(`${name} is encrypted for another age identity than the one given`, { cause });
    }
    throw new DamagedBackup(`${name} cannot be read: ${reason}`, { cause });
  }
}

/** Opens the file with this release's migrations, and reads some plants of its accounts. */
async function openAsServer(name: string, path: string): Promise<void> {
  try {
    const { records, reads } = await openStorage(`sqlite:${path}`, { upgrades: true });
    await readSome(reads).finally(() => records.close());
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name} cannot be opened as a server would open it, in ${dirname(path)}: ${reason}`, { cause });
  }
}

async function readSome({ stores, plants }: Reads): Promise<void> {
  let left = 100;
  for (const { number } of await stores.list()) {
    if (left === 0) return;
    const query = { order: "id", limit: left, tag: undefined, q: undefined, after: undefined } as const;
    left -= (await plants.list(number, query)).plants.length;
  }
}
