import { DAY_MS } from "#core/duration.ts";
import { newMark } from "#threads/process-mark.ts";
import type { Destination } from "./destination.ts";
import {
  type Backup,
  backupName,
  contentFile,
  DamagedBackup,
  type ManifestContent,
  manifestFile,
  nameOf,
  readManifest,
  timeOfName,
  writeManifest,
} from "./manifest.ts";
import { isAbandoned, REMAINS_MS_MAX } from "./remains.ts";

/**
 * The id of a database, by which services that share a destination know their own backups. Empty for a database of which
 * no backup was made yet; undefined on a machine without a database, to which no backup is another's.
 */
export type DatabaseId = string | undefined;

export interface Catalogue {
  /** Oldest first. Those that a clock far ahead has dated come before all: they would be the newest until their time. */
  readonly backups: readonly Backup[];
  /** The names of those whose manifest is damaged. */
  readonly damaged: readonly string[];
  /** The names of files that have no manifest, and that nobody is making: they were half copied, or their run was killed. */
  readonly unfinished: readonly string[];
}

/** Lists the backups at the destination from the names and sizes of its files and from the manifests. */
export async function readCatalogue(destination: Destination): Promise<Catalogue> {
  const backups: Backup[] = [];
  const damaged: string[] = [];
  const sizes = await destination.sizes("plantstore-");
  const files = [...sizes.keys()];
  for (const file of files) {
    const name = file.endsWith(".json") && nameOf(file);
    if (!name) continue;
    try {
      const backup = await readBackup(destination, name);
      if (backup) backups.push({ ...backup, problem: problemOf(backup, sizes) });
    } catch (error) {
      if (!(error instanceof DamagedBackup)) throw error;
      damaged.push(name);
    }
  }
  const withoutManifest = files.flatMap((file) => (CONTENT.test(file) && nameOf(file)) || []);
  const isMade = (name: string) => files.some((file) => file.startsWith(`${name}.`) && file.endsWith(RESERVED));
  const unfinished = withoutManifest.filter((name) => !files.includes(manifestFile(name)) && !isMade(name));
  const latest = Date.now() + DAY_MS;
  const isAhead = ({ name }: Backup) => timeOfName(name) > latest;
  const ordered = [...backups.filter(isAhead), ...backups.filter((backup) => !isAhead(backup))];
  return { backups: ordered, damaged, unfinished };
}

const CONTENT = /\.db\.zst(?:\.age)?$/;

function problemOf({ name, manifest }: Backup, sizes: ReadonlyMap<string, number>): string | undefined {
  const { recipients, compressed } = manifest;
  const size = sizes.get(contentFile(name, recipients));
  if (size === undefined) return "no file";
  if (size === compressed) return undefined;
  const [there, written] = [size, compressed].map((bytes) => bytes.toLocaleString("en"));
  return `damaged: ${there} of ${written} bytes`;
}

/** True for a backup of that database. Those of earlier releases name none, and may be of any. */
export function isOf(database: DatabaseId, { manifest }: Backup): boolean {
  return database === undefined || manifest.database === database;
}

/**
 * Finds a backup by its name, the name of one of its files, or `latest`: the newest whole one of the database. If there is none,
 * or it is another database's, the error says which there are. Throws DamagedBackup.
 */
export async function findBackup(destination: Destination, given: string, database: DatabaseId): Promise<Backup> {
  if (given === "latest") return latestBackup(destination, database);
  const name = nameOf(given);
  const backup = name && (await readBackup(destination, name));
  if (!backup && name && (await readCatalogue(destination)).unfinished.includes(name))
    throw new DamagedBackup(`${name} has no manifest: it was not finished, or only half of it was copied`);
  if (!backup) throw new Error(`There is no backup ${given} in ${destination.address}`);
  const { database: id } = backup.manifest;
  if (id === undefined || database === undefined || id === database) return backup;
  throw new Error(`${name} is a backup of another database; to use it nevertheless, give --database ${id}`);
}

/** The newest that is whole, as far as names and sizes tell. */
async function latestBackup(destination: Destination, database: DatabaseId): Promise<Backup> {
  const backups = (await readCatalogue(destination)).backups.filter(({ problem }) => problem === undefined);
  const newest = backups.findLast((backup) => isOf(database, backup));
  const newestOfEach = new Map(backups.map((backup) => [backup.manifest.database, backup.name]));
  if (newest && (database !== undefined || newestOfEach.size === 1)) return newest;
  const ofThis = database === undefined || backups.length === 0 ? "" : " of this database";
  const choice = [...newestOfEach].map(([id, name]) => (id === undefined ? name : `${name} of --database ${id}`));
  throw new Error(
    newest
      ? `${destination.address} holds backups of several databases; say which is meant: ${choice.join(", ")}`
      : [`There is no backup${ofThis} in ${destination.address}`, ...choice.slice(-1)].join("; the newest is "),
  );
}

/** The newest whole backup of the same database from before that one. */
export async function backupBefore(destination: Destination, { name, manifest }: Backup): Promise<Backup | undefined> {
  const { backups } = await readCatalogue(destination);
  return backups.findLast(
    (each) => each.name < name && each.problem === undefined && each.manifest.database === manifest.database,
  );
}

/** Writes the manifest, which makes its file a backup. */
export async function keepManifest(destination: Destination, name: string, content: ManifestContent): Promise<Backup> {
  const text = writeManifest(content);
  await destination.write(manifestFile(name), [Buffer.from(text)]);
  return { name, manifest: readManifest(name, text) };
}

/** Throws if the backup was removed in the meantime: a manifest alone would be a backup that nobody can restore. */
export async function markVerified(destination: Destination, backup: Backup, at: Date): Promise<Backup> {
  const { name } = backup;
  const found = await readBackup(destination, name);
  if (!found) throw new Error(`${name} was removed while it was verified`);
  return keepManifest(destination, name, { ...found.manifest, verified_at: at.toISOString() });
}

/** The manifest is removed first: the file that a killed process then leaves is not a backup. */
export async function removeBackup(destination: Destination, name: string): Promise<void> {
  await destination.remove(manifestFile(name));
  for (const recipients of [[], ["any"]]) await destination.remove(contentFile(name, recipients));
}

const RESERVED = ".reserved";

/**
 * Reserves a name for a backup of that time, or of a later second if others have it. Not every store that speaks S3
 * creates a file exclusively, and the runtime's client cannot ask for it. So each process writes a file of its own, and
 * looks for others afterwards: of two, at least the later one sees the other's. Whoever sees one tries another second, at
 * random, since the other may do the same.
 */
export async function reserveName(destination: Destination, from: Date, lastNumber: number) {
  let files = await destination.list("plantstore-");
  // Sixteen seconds are enough for the backups that are made at once by hand.
  for (let spread = 1; ; spread = Math.min(2 * spread, 16)) {
    const at = freeSecond(files, from, lastNumber, Math.floor(Math.random() * spread));
    const name = backupName(at, lastNumber);
    const file = `${name}.${newMark()}${RESERVED}`;
    const free = () => destination.remove(file).catch(() => undefined);
    await destination.write(file, [Buffer.from("reserved\n")]);
    files = await destination.list("plantstore-");
    if (!files.some((other) => other.startsWith(`${name}.`) && other !== file)) return { name, at, free };
    await free();
  }
}

/** The time of which no file has the name, after so many others. */
function freeSecond(files: readonly string[], from: Date, lastNumber: number, others: number): Date {
  const taken = new Set(files.map((file) => file.slice(0, file.indexOf("."))));
  let at = from;
  for (let left = others; left > 0 || taken.has(backupName(at, lastNumber)); at = new Date(at.getTime() + 1000)) {
    if (!taken.has(backupName(at, lastNumber))) left--;
  }
  return at;
}

/**
 * Removes what runs left that were killed while they made a backup. With `unreserved` also files without manifest and
 * reservation that are older than any run, such as one leaves that is killed while it removes a backup.
 */
export async function removeRemains(destination: Destination, now: number, unreserved = false): Promise<void> {
  await destination.removeUnfinished();
  const groups = Map.groupBy(await destination.list("plantstore-"), (file) => file.slice(0, file.indexOf(".")));
  for (const [name, files] of groups) {
    const ageMs = now - timeOfName(name);
    // More than one where another process was killed when it had found that the name is taken.
    const reservations = files.filter((file) => file.endsWith(RESERVED));
    const abandoned = reservations.filter((file) => isAbandoned(file.split(".")[1] ?? "", ageMs));
    const isOver =
      reservations.length > 0 ? abandoned.length === reservations.length : unreserved && ageMs > REMAINS_MS_MAX;
    const contents = files.filter((file) => isOver && CONTENT.test(file));
    if (!files.includes(manifestFile(name))) abandoned.unshift(...contents);
    for (const file of abandoned) await destination.remove(file);
  }
}

/** Undefined if there is no backup with that name, or none any more. Throws DamagedBackup. */
async function readBackup(destination: Destination, name: string): Promise<Backup | undefined> {
  const file = manifestFile(name);
  const text = await readText(destination, file).catch(async (error) => {
    if (error instanceof DamagedBackup || (await destination.list(file)).includes(file)) throw error;
    return undefined;
  });
  return text === undefined ? undefined : { name, manifest: readManifest(name, text) };
}

async function readText(destination: Destination, file: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of await destination.read(file)) {
    bytes += chunk.length;
    if (bytes > 64 * 1024) throw new DamagedBackup(`${file} is damaged`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
