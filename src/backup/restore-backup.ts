import { existsSync } from "node:fs";
import { link, mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openStorage } from "#storage/open.ts";
import { checkDatabase } from "#storage/sqlite/snapshot.ts";
import { contentFile } from "./backup-name.ts";
import type { Destination } from "./destination.ts";
import { syncFolder, writeDurably } from "./folder-destination.ts";
import { type Backup, DamagedBackup, type Manifest } from "./manifest.ts";
import { type Sums, unstore } from "./stored-form.ts";

export interface RestoreOptions {
  readonly destination: Destination;
  readonly backup: Backup;
  /** age identities, such as `AGE-SECRET-KEY-1…`; required for an encrypted backup. */
  readonly identities: readonly string[];
}

/** A backup cannot be restored with the given options; the message says why. */
class RestoreRefused extends Error {}

const PLANTS_READ = 100;

/** Restores the backup into a temporary folder and opens it as a server would. Throws DamagedBackup. */
export async function verifyBackup(options: RestoreOptions, temporaryFolder: string): Promise<void> {
  const folder = await mkdtemp(join(temporaryFolder, "plantstore-verify-"));
  try {
    await restoreChecked(options, join(folder, "plantstore.db"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Restores the backup into a new file, which gets its name only after all of it was checked. */
export async function restoreBackup(options: RestoreOptions, path: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    if (existsSync(path + suffix)) {
      throw new RestoreRefused(`${path}${suffix} exists already; a backup is restored into a new file only`);
    }
  }
  const parent = dirname(path);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(parent, ".plantstore-restore-"));
  try {
    const draft = join(folder, "plantstore.db");
    await restoreChecked(options, draft);
    // Unlike a rename, a link never replaces a file that was created in the meantime.
    await link(draft, path).catch((cause) => {
      throw new RestoreRefused(`${path} cannot be made: ${cause.message}`, { cause });
    });
    await syncFolder(parent);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function restoreChecked(options: RestoreOptions, path: string): Promise<void> {
  const { name, manifest } = options.backup;
  const sums = await fetchInto(options, path);
  if (!matches(sums, manifest)) throw new DamagedBackup(`${name} is damaged: its file is not the one that was written`);
  const { bytes: _bytes, ...content } = checkDatabase(path, "full");
  const { schema, plants, accounts, last_number: lastNumber } = manifest;
  if (!Bun.deepEquals(content, { schema, plants, accounts, lastNumber })) {
    throw new DamagedBackup(`${name} is damaged: its database does not hold what its manifest says`);
  }
  await openAsServer(name, path);
}

async function fetchInto({ destination, backup, identities }: RestoreOptions, path: string): Promise<Sums> {
  const { name, manifest } = backup;
  const encrypted = manifest.recipients.length > 0;
  if (encrypted && identities.length === 0) {
    throw new RestoreRefused(
      `${name} is encrypted; --identity must name the file with the age identity that can read it`,
    );
  }
  const stored = await destination.read(contentFile(name, manifest.recipients));
  try {
    return await unstore(stored, encrypted ? identities : [], (chunks) => writeDurably(path, chunks));
  } catch (cause) {
    if (isOutOfRoom(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DamagedBackup(`${name} cannot be read: ${reason}`, { cause });
  }
}

function matches({ plain, stored }: Sums, { bytes, compressed, sha256 }: Manifest): boolean {
  const sizes = plain.bytes === bytes && stored.bytes === compressed;
  return sizes && plain.sha256 === sha256.plain && stored.sha256 === sha256.stored;
}

function isOutOfRoom(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOSPC";
}

/** Opens the file with this release's migrations, and reads some plants of its accounts. */
async function openAsServer(name: string, path: string): Promise<void> {
  const { store } = await openStorage(`sqlite:${path}`);
  try {
    let left = PLANTS_READ;
    for (const { number } of await store.accounts.list()) {
      if (left === 0) return;
      const query = { order: "id", limit: left, tag: undefined, q: undefined, after: undefined } as const;
      left -= (await store.plants.list(number, query)).plants.length;
    }
  } catch (cause) {
    throw new DamagedBackup(`${name} cannot be opened as a server would open it`, { cause });
  } finally {
    await store.close();
  }
}
