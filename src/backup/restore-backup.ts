import { existsSync } from "node:fs";
import { copyFile, link, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inTime } from "#core/deadline.ts";
import { MINUTE_MS } from "#core/duration.ts";
import { Failure } from "#core/failure.ts";
import { CannotWrite, syncFolder, writeDurably } from "#files/replace-file.ts";
import { isNewestSchema } from "#storage/migrate.ts";
import { checkDatabase } from "#storage/sqlite/database-check.ts";
import type { DatabaseContent } from "#storage/sqlite/snapshot.ts";
import { Thread } from "#threads/thread.ts";
import { type CopyOptions, prepareCopy } from "./database-writes.ts";
import type { Destination } from "./destination.ts";
import { type Backup, contentFile, DamagedBackup } from "./manifest.ts";
import { inScratchFolder } from "./remains.ts";
import { type Sums, unstore } from "./stored-form.ts";
import type { WritingFunctions } from "./writing-worker.ts";

export interface RestoreOptions {
  readonly destination: Destination;
  readonly backup: Backup;
  /** age identities, such as `AGE-SECRET-KEY-1…`; required for an encrypted backup. */
  readonly identities: readonly string[];
  /** The limit of each step; by default by the size of the database. */
  readonly stepMsMax?: number;
}

/** Restores the backup into a temporary folder and opens it as a server would. Throws DamagedBackup. */
export async function verifyBackup(options: RestoreOptions, temporaryFolder: string): Promise<void> {
  await inScratchFolder("verify", temporaryFolder, (folder) => restoreChecked(options, join(folder, "plantstore.db")));
}

/** Acts with a restored database that is brought up to date, and removes it. Throws DamagedBackup. */
export async function withRestored<T>(
  options: RestoreOptions,
  temporaryFolder: string,
  act: (database: string) => Promise<T>,
): Promise<T> {
  return inScratchFolder("restore", temporaryFolder, async (folder) => {
    await restoreChecked(options, join(folder, "plantstore.db"));
    // It tried whether a server can open it, an older one by a copy.
    const copy = join(folder, "copy.db");
    return act(existsSync(copy) ? copy : join(folder, "plantstore.db"));
  });
}

/** Restores the backup into a new file, which gets its name only after all of it was checked. */
export async function restoreBackup(
  options: RestoreOptions,
  path: string,
  copy: CopyOptions = { drill: false, newId: false },
): Promise<void> {
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
    const { name, manifest } = options.backup;
    // An older schema stays as it is, and has no place for marks.
    const isOlder = !isNewestSchema(manifest.schema);
    if (copy.drill || copy.newId || !isOlder) await prepareCopy(draft, name, copy);
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
  const fetched = await stepInTime(options, "reading it", () => fetchInto(options, path));
  if (!Bun.deepEquals(fetched, { plain, stored })) {
    throw new DamagedBackup(`${name} is damaged: its file is not the one that was written`);
  }
  const { bytes: _bytes, ...content } = await stepInTime(options, "checking it", () => checked(name, path));
  // The manifest of an earlier release does not name the database.
  const { schema, plants, accounts, last_number: lastNumber, database = content.database } = manifest;
  if (!Bun.deepEquals(content, { schema, plants, accounts, lastNumber, database })) {
    throw new DamagedBackup(`${name} is damaged: its database does not hold what its manifest says`);
  }
  // An older schema stays, until a server is started on it.
  const tried = isNewestSchema(schema) ? path : join(dirname(path), "copy.db");
  if (tried !== path) await copyFile(path, tried);
  await stepInTime(options, "opening it", () => openAsServer(name, tried));
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
  const file = contentFile(name, manifest.recipients);
  let isRefused = false;
  async function* stored() {
    try {
      yield* await destination.read(file);
    } catch (cause) {
      isRefused = true;
      throw cause;
    }
  }
  try {
    return await unstore(stored(), encrypted ? identities : [], manifest.bytes, (chunks) => writeDurably(path, chunks));
  } catch (cause) {
    if (cause instanceof CannotWrite) throw cause;
    // A network that fails, or rights that are missing, say nothing about a file that is there.
    if (isRefused && (await destination.sizes(file)).has(file)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    // The library has no class for this error.
    if (/no identity matched/.test(reason)) {
      throw new Error(`${name} is encrypted for another age identity than the one given`, { cause });
    }
    throw new DamagedBackup(`${name} cannot be read: ${reason}`, { cause });
  }
}

/** Acts on a thread of its own, since SQLite cannot be told to end. Its error says what a server could not do. */
async function openAsServer(name: string, path: string): Promise<void> {
  const start = () => new Worker(new URL("./writing-worker.ts", import.meta.url), { smol: true });
  const thread = new Thread<WritingFunctions>({ start, onFailed() {} });
  try {
    await thread.call("tryOpen", path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name} cannot be opened as a server would open it, in ${dirname(path)}: ${reason}`, { cause });
  } finally {
    thread.close();
  }
}

/** A step that hangs, as on a disk of the network, or on content that was made to, is left to the end of the process. */
function stepInTime<T>({ backup, stepMsMax }: RestoreOptions, step: string, act: () => Promise<T>): Promise<T> {
  const { name, manifest } = backup;
  // A MiB in a second, which any disk and any store has.
  const ms = stepMsMax ?? 10 * MINUTE_MS + (1000 * manifest.bytes) / 1024 ** 2;
  const late = () => new Error(`${name} was given up: ${step} has not ended within ${Math.ceil(ms / 1000)} s`);
  return inTime(act(), ms, late);
}
