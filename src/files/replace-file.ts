import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** A file cannot be written; the message says which, and why. It has the code of the system's error. */
export class CannotWrite extends Error {
  readonly code: string | undefined;

  constructor(path: string, cause: Error) {
    super(`Cannot write ${path}: ${cause.message}`, { cause });
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

/** The file under another name until it is whole. A killed process leaves it, and the next one that has this name for it removes it. */
const draftOf = (path: string) => `${path}.new`;

/**
 * Replaces a file by this text, for its owner alone, or leaves it as it was: the text is on disk, and was read back, before it gets
 * the name. A full disk can take a part of it without an error. Throws CannotWrite.
 */
export function replaceFile(path: string, text: string): void {
  const draft = draftOf(path);
  const bytes = Buffer.from(text);
  try {
    // Made anew, so that neither the mode nor the target of a link that lies there counts.
    rmSync(draft, { force: true });
    const file = openSync(draft, "wx", 0o600);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (!readFileSync(draft).equals(bytes)) throw new Error("it does not hold what was written");
    renameSync(draft, path);
    syncFolderOf(path);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new CannotWrite(path, cause as Error);
  }
}

function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

interface Replacement {
  readonly draft?: string;
  /** The file mode, which the umask may restrict further. */
  readonly mode?: number;
}

/** The same for a file that arrives in chunks. What `chunks` throws is thrown as it is. */
export async function replaceFileBy(
  path: string,
  chunks: Chunks,
  { draft = draftOf(path), mode }: Replacement = {},
): Promise<void> {
  try {
    await rm(draft, { force: true });
    await writeDurably(draft, chunks, mode);
    await rename(draft, path).catch((cause) => {
      throw new CannotWrite(path, cause);
    });
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** The system would collect gigabytes before it writes any, and the commit of each create would wait for all of them. */
const SYNCED_BYTES = 8 * 1024 * 1024;

/** Writes a new file, readable by its owner alone unless `mode` says else, and resolves when it is on disk. Throws CannotWrite. */
export async function writeDurably(path: string, chunks: Chunks, mode = 0o600): Promise<void> {
  const refuse = (cause: Error) => {
    throw new CannotWrite(path, cause);
  };
  await using file = await open(path, "wx", mode).catch(refuse);
  let bytes = 0;
  let unsynced = 0;
  let syncing = Promise.resolve();
  for await (const chunk of chunks) {
    await file.writeFile(chunk).catch(refuse);
    bytes += chunk.length;
    unsynced += chunk.length;
    if (unsynced < SYNCED_BYTES) continue;
    await syncing;
    syncing = file.datasync().catch(refuse);
    // It is awaited later.
    syncing.catch(() => {});
    unsynced = 0;
  }
  await syncing;
  await file.sync().catch(refuse);
  const { size } = await file.stat();
  if (size !== bytes) refuse(new Error(`${size} of ${bytes} bytes are there`));
}

/** Resolves when the names in the folder are on disk. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}
