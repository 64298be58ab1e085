import { createReadStream, existsSync, openAsBlob, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { Option } from "commander";
import type { BulkFormat } from "#client/bulk-format.ts";
import { UsageError } from "./report.ts";

/** The file name that means standard input or output. */
export const STANDARD = "-";

const BY_EXTENSION: Readonly<Record<string, BulkFormat>> = { ".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson" };

export function formatOption(): Option {
  return new Option("--format <format>", "by the file's extension unless given").choices(["ndjson", "csv"]);
}

/** The given format, or the one that the file's extension indicates. */
export function bulkFormat(file: string, asked: BulkFormat | undefined, fallback?: BulkFormat): BulkFormat {
  const format = asked ?? BY_EXTENSION[extname(file).toLowerCase()] ?? fallback;
  if (format) return format;
  throw new UsageError(`Say what ${file === STANDARD ? "standard input" : file} is: --format ndjson or --format csv`);
}

export interface BulkSource {
  /** Must be destroyed when no more is needed, since standard input would keep the process alive. */
  readonly bytes: Readable;
  /** Undefined if it is not a regular file. */
  readonly size: number | undefined;
}

/** Opens a file to be read in chunks. Throws the operating system's error if it cannot be read. */
export function openSource(file: string): BulkSource {
  if (file === STANDARD) return { bytes: process.stdin, size: undefined };
  const state = statSync(file);
  if (state.isDirectory()) throw new Error(`${file} is a folder; name a file in it`);
  return {
    bytes: createReadStream(file, { highWaterMark: 256 * 1024 }),
    size: state.isFile() ? state.size : undefined,
  };
}

/** A source that is sent as one request. A file is not read into memory. Throws as `openSource`. */
export async function wholeSource(file: string): Promise<Blob | Readable> {
  if (file === STANDARD || !statSync(file).isFile()) return openSource(file).bytes;
  return openAsBlob(file);
}

/** The mode of a new file, which the umask restricts. */
const NEW_FILE = 0o666;

export interface BulkTarget {
  /** The file itself where a symbolic link was named, so that the link stays. */
  readonly path: string;
  /** The name to write under until everything is written; undefined for a device or a pipe, which is written to as it is. */
  readonly partial: string | undefined;
  /** The mode of the file that is replaced: a private one stays private. */
  readonly mode: number;
}

/** The place that an export is written to. Throws if it is a folder, or in none. */
export function bulkTarget(file: string): BulkTarget {
  const state = statSync(file, { throwIfNoEntry: false });
  if (!state) requireFolderOf(file);
  if (!state) return { path: file, partial: `${file}.partial`, mode: NEW_FILE };
  if (state.isDirectory()) throw new Error(`${file} is a folder; name a file in it`);
  if (!state.isFile()) return { path: file, partial: undefined, mode: NEW_FILE };
  const path = realpathSync(file);
  return { path, partial: `${path}.partial`, mode: state.mode };
}

/** Throws if there is no folder in which the file could be made. */
export function requireFolderOf(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder} for ${basename(file)}`);
}

/** True if both names mean one file, by whatever links. */
export function isSameFile(one: string, other: string): boolean {
  if (resolve(one) === resolve(other)) return true;
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

/** The path of a new file beside the input. An existing one is not reused, since it may have been corrected by hand. */
export function refusedPath(file: string, format: BulkFormat): string {
  const extension = extname(file) || `.${format}`;
  const stem = file === STANDARD ? "standard-input" : join(dirname(file), basename(file, extname(file)));
  for (let number = 1; ; number++) {
    const path = `${stem}.refused${number === 1 ? "" : `-${number}`}${extension}`;
    if (!existsSync(path)) return path;
  }
}
