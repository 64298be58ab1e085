import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Observer } from "#core/observer.ts";
import { LOG_HELD } from "./log-hold.ts";
import { isOwnLog } from "./log-mark.ts";

/**
 * "PLNT" distinguishes these files from those of other programs
 * (https://www.sqlite.org/pragma.html#pragma_application_id).
 */
const APPLICATION_ID = 0x504c4e54;

/** A file that this program must not use, or cannot. Nothing was written. */
export class UnusableFile extends Error {}

/**
 * A connection that really closes when close() returns. SQLite keeps a closed connection open until the last of its
 * statements is finalized (https://www.sqlite.org/c3ref/close.html), which bun:sqlite does for those of `query` alone.
 * Each prepared statement is kept until then, so one that is used once is not prepared.
 */
class ClosingDatabase extends Database {
  readonly #prepared: Pick<Statement, "finalize">[] = [];
  readonly #path: string;

  constructor(path: string, options: ConstructorParameters<typeof Database>[1]) {
    super(path, options);
    this.#path = path;
    connections.set(path, (connections.get(path) ?? 0) + 1);
  }

  override prepare<Row, Given extends SQLQueryBindings | SQLQueryBindings[]>(...given: [sql: string, values?: Given]) {
    const statement = super.prepare<Row, Given>(...given);
    this.#prepared.push(statement);
    return statement;
  }

  override close(): void {
    for (const statement of this.#prepared.splice(0)) statement.finalize();
    super.close();
    const left = (connections.get(this.#path) ?? 0) - 1;
    if (left > 0) connections.set(this.#path, left);
    else connections.delete(this.#path);
  }
}

/** The open connections of this thread to each file. */
const connections = new Map<string, number>();
const LOG_TRIES_MAX = 5;

/**
 * Throws UnusableFile before SQLite opens the file, and replays and writes. The system takes a process's locks on a file away when the
 * process closes that file, so nothing is looked at while this thread or another has it open, which has looked.
 */
function requireUsable(path: string): void {
  if (path === ":memory:" || connections.has(path) || isOpenInProcess(path)) return;
  requireWritable(path);
  // The log of a server that runs may start from the front meanwhile.
  for (let triesLeft = LOG_TRIES_MAX - 1; !isOwnLog(path); triesLeft--) {
    if (triesLeft === 0) throw new UnusableFile(foreignLog(path));
    Bun.sleepSync(20);
  }
}

/** Whether this process has the file open. A system that does not list open files is taken to say yes for further threads. */
function isOpenInProcess(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    const file = realpathSync(path);
    return readdirSync("/proc/self/fd").some((descriptor) => linkOf(`/proc/self/fd/${descriptor}`) === file);
  } catch {
    return !Bun.isMainThread;
  }
}

/** Undefined for a descriptor that was closed meanwhile. */
function linkOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(descriptor);
  } catch {
    return undefined;
  }
}

function foreignLog(path: string): string {
  const log = `${path}-wal`;
  if (!existsSync(path))
    return `there is no ${path}, but its log ${log} with the last changes: put the file back, or move the log away to begin anew`;
  return `${log} is the log of another copy of ${path}, as when a backup was copied over the file, and nothing was changed: put that copy back, or move ${log} away to go on with this file alone; \`plantstore backup restore\` makes a new file instead`;
}

/** SQLite opens a file that it cannot write all the same, and every write would be refused. */
function requireWritable(path: string): void {
  const isThere = existsSync(path);
  const folder = dirname(path);
  if (existsSync(folder)) refused(folder, () => accessSync(folder, constants.W_OK | constants.X_OK));
  for (const file of isThere ? [path, `${path}-wal`, `${path}-shm`] : []) {
    if (existsSync(file)) refused(file, () => closeSync(openSync(file, "r+")));
  }
}

function refused(path: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EACCES", "EPERM", "EROFS"].includes(code)) throw error;
    const { mode, uid } = statSync(path);
    const user = process.getuid?.();
    const octal = (mode & 0o777).toString(8).padStart(4, "0");
    const advice =
      code === "EROFS" ? "mount its disk to be written" : uid === user ? `chmod u+w ${path}` : `chown ${user} ${path}`;
    throw new UnusableFile(`${path} (mode ${octal}, of user ${uid}) cannot be written by user ${user}: ${advice}`, {
      cause: error,
    });
  }
}

/**
 * Each create with a random id changes a page of its own, which is copied to the log and later to the file: smaller pages
 * take a third off its processor time, and cost sequential ids nothing. An existing file keeps the pages that it has.
 */
const PAGE_BYTES = 2048;

/**
 * Opens the file for durable writes: WAL, and an fsync for each commit. Only the checkpointer runs checkpoints, and no
 * statement ever waits inside SQLite for another process's lock. With `alone` no other connection may have the file open,
 * nor open it until this one is closed: what is tried then throws SQLITE_BUSY.
 */
export function openForWriting(path: string, { alone = false } = {}): Database {
  requireUsable(path);
  if (path !== ":memory:") {
    createPrivate(path);
    bringLogToDisk(path);
  }
  const database = new ClosingDatabase(path, { create: true, readwrite: true });
  database.run("PRAGMA busy_timeout = 2000");
  database.run(`PRAGMA page_size = ${PAGE_BYTES}`);
  // Every connection to a file in WAL mode shares a lock on it, which this mode wants for itself.
  if (alone) database.run("PRAGMA locking_mode = EXCLUSIVE");
  claim(database, path);
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = FULL");
  if (process.platform === "darwin") database.run("PRAGMA fullfsync = 1");
  database.run("PRAGMA foreign_keys = ON");
  database.run("PRAGMA wal_autocheckpoint = 0");
  // A log that a backup let grow further is cut when it starts again from the front.
  database.run(`PRAGMA journal_size_limit = ${LOG_HELD.each}`);
  database.run("PRAGMA cache_size = -8192");
  database.run("PRAGMA busy_timeout = 0");
  return database;
}

/** A process that was killed before its fsync leaves rows that would be read, and answered for, without being on the disk. */
function bringLogToDisk(path: string): void {
  try {
    const log = openSync(`${path}-wal`, "r");
    try {
      fsyncSync(log);
    } finally {
      closeSync(log);
    }
  } catch (error) {
    // The last process that closes the file removes its log.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Opens a further connection that only reads, for work that must not run on the serving thread. */
export function openForReading(path: string, cacheKiB = 2048): Database {
  requireUsable(path);
  const database = new ClosingDatabase(path, { readwrite: true });
  database.run("PRAGMA busy_timeout = 2000");
  database.run("PRAGMA query_only = ON");
  database.run(`PRAGMA cache_size = -${cacheKiB}`);
  return database;
}

/**
 * Creates the file, and its folder, for this user alone, whatever the umask: it holds the secret that signs sessions.
 * SQLite gives the write-ahead log and its index the mode of the file. An existing file or folder is not changed.
 */
export function createPrivate(path: string): void {
  const folder = dirname(path);
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(folder, 0o700);
  try {
    const file = openSync(path, "wx", 0o600);
    fchmodSync(file, 0o600);
    closeSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Reports the sizes of the database file and its write-ahead log, and warns if other users can read the file. */
export function reportFile(path: string, observer: Observer): void {
  observer.gauge("plantstore_database_bytes", () => sizeOf(path));
  observer.gauge("plantstore_wal_bytes", () => sizeOf(`${path}-wal`));
  const network = networkDisk(statfsSync(dirname(path)).type);
  if (network)
    observer.notice(
      `${path} is on a network disk (${network}), whose locks and syncs a database cannot rely on: keep it on a disk of this machine (docs/operations.md)`,
    );
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o044) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  observer.notice(
    `Other users of this machine can read ${path} (mode ${octal}), and with it the secret that signs sessions: chmod 600 it, ${path}-wal and ${path}-shm`,
  );
}

/** The magic numbers of statfs(2). */
const NETWORK_DISKS: Readonly<Record<number, string>> = {
  26985: "NFS",
  20859: "SMB",
  4283649346: "SMB",
  4266872130: "SMB",
};

/** The name of a network file system of that type; undefined for a disk of the machine. */
export function networkDisk(type: number): string | undefined {
  return NETWORK_DISKS[type >>> 0];
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function claim(database: Database, path: string): void {
  // One statement, since another process may claim and fill a new file between two.
  const read = database.query<{ found: number; tables: number }, []>(
    "SELECT application_id AS found, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id",
  );
  const { found, tables } = read.get() as { found: number; tables: number };
  if (found === APPLICATION_ID) return;
  if (found !== 0 || tables > 0) throw new UnusableFile(`${path} is a database of another program`);
  database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
}
