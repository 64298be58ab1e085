import { closeSync, openSync, readSync } from "node:fs";

// A write-ahead log says nothing of the file that it continues: SQLite replays it onto whatever lies beside it. So each transaction
// gives the database a new random mark, and keeps the one before. When a log starts from the front, all of the log before is in the file
// (https://www.sqlite.org/walformat.html), which has the last mark of it: the first mark in the new log names that as the one before.
// Checkpoints then copy whole pages of the log into the file. So the page with the mark in the file of a log is either still as it was
// when the log began, and has the mark before the first one, or a copy of a page in the log, whatever was interrupted; and a file with any
// other mark is of another time or another database. A file with a mark of the log is of its time: with the log it has what
// was committed last.
//
// Transactions of earlier releases have no mark, and a log without any is taken as it is.

/** Gives the database a new mark, in the transaction that is under way. */
export const SET_MARK = `
  INSERT INTO counters VALUES ('log_mark', CAST(zeroblob(8) || randomblob(8) AS blob))
  ON CONFLICT (name) DO UPDATE SET value = CAST(substr(value, 9) || randomblob(8) AS blob)`;

/** The payload of its row, with lengths and types as https://www.sqlite.org/fileformat.html has them (1.6, 2.1), before 16 bytes. */
const ROW = Buffer.concat([Buffer.from([27, 3, 29, 44]), Buffer.from("log_mark")]);
const INDEX_LEAF = 0x0a;
/** The mark of a file without one, as the row of a first mark names it. */
const NONE = "0".repeat(16);

const FILE_HEADER_BYTES = 100;
const FILE_MAGIC = "SQLite format 3\0";
const LOG_MAGICS = [0x377f0682, 0x377f0683];
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const CHUNK_BYTES = 1024 * 1024;

interface Mark {
  readonly before: string;
  readonly own: string;
}

/** False if the log beside the database has transactions and continues another file. Reads alone. */
export function isOwnLog(path: string): boolean {
  using log = openFile(`${path}-wal`);
  const header = log?.read(0, LOG_HEADER_BYTES);
  // SQLite passes over such a log, too.
  if (!log || !header || !LOG_MAGICS.includes(header.readUInt32BE(0))) return true;
  const pageBytes = header.readUInt32BE(8);
  using file = openFile(path);
  const fits = isFileOfLog(file?.read(0, FILE_HEADER_BYTES), pageBytes);
  const marks = new LogMarks((page) => file?.read((page - 1) * pageBytes, pageBytes));
  let isCommitted = false;
  for (const { page, commits, content } of framesOf(log, header, pageBytes)) {
    isCommitted ||= commits;
    if (!fits && isCommitted) return false;
    // The log of a server that runs is long, and mostly its beginning tells.
    if (fits && marks.fitAfter(page, content)) return true;
  }
  return !isCommitted || marks.areMissing;
}

class LogMarks {
  /** The marks that a page may have in the file. After a VACUUM there may be a second page, and other content in the first. */
  readonly #ofPages = new Map<number, Set<string>>();

  constructor(private readonly pageOfFile: (page: number) => Buffer | undefined) {}

  get areMissing(): boolean {
    return this.#ofPages.size === 0;
  }

  /** Takes the next page of the log; true if the file has a mark that it may have. */
  fitAfter(page: number, content: Buffer): boolean {
    const mark = markIn(content);
    const own = this.#ofPages.get(page) ?? new Set();
    if (mark === undefined && own.size === 0) return false;
    if (mark && this.areMissing) own.add(mark.before);
    this.#ofPages.set(page, own.add(mark?.own ?? NONE));
    const found = this.pageOfFile(page);
    return own.has((found && markIn(found)?.own) ?? NONE);
  }
}

/** False for a copy made by a program that needs no log beside it, which says so in its header (18, 19), and for no database. */
function isFileOfLog(header: Buffer | undefined, pageBytes: number): boolean {
  if (!header || header.toString("latin1", 0, 16) !== FILE_MAGIC) return false;
  const written = header.readUInt16BE(16);
  return header[18] === 2 && header[19] === 2 && (written === 1 ? 65_536 : written) === pageBytes;
}

interface Frame {
  /** The number of the page. */
  readonly page: number;
  readonly commits: boolean;
  readonly content: Buffer;
}

/** The frames since the log last started from the front. The last of them may be torn, or of a transaction that did not end. */
function* framesOf(log: OpenFile, header: Buffer, pageBytes: number): Generator<Frame> {
  const salts = header.subarray(16, 24);
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const chunkBytes = Math.max(1, Math.floor(CHUNK_BYTES / frameBytes)) * frameBytes;
  for (let at = LOG_HEADER_BYTES; ; at += chunkBytes) {
    const chunk = log.readUpTo(at, chunkBytes);
    for (let from = 0; from + frameBytes <= chunk.length; from += frameBytes) {
      if (!chunk.subarray(from + 8, from + 16).equals(salts)) return;
      const content = chunk.subarray(from + FRAME_HEADER_BYTES, from + frameBytes);
      yield { page: chunk.readUInt32BE(from), commits: chunk.readUInt32BE(from + 4) > 0, content };
    }
    if (chunk.length < chunkBytes) return;
  }
}

/** The mark on a page of the table; what a plant's text holds is never taken for one, since a cell begins elsewhere. */
function markIn(page: Buffer): Mark | undefined {
  if (page[0] !== INDEX_LEAF || !page.includes(ROW)) return undefined;
  const cells = page.readUInt16BE(3);
  for (let at = 8; at < 8 + 2 * cells && at + 2 <= page.length; at += 2) {
    const cell = page.readUInt16BE(at);
    const marks = cell + ROW.length;
    if (marks + 16 > page.length || !page.subarray(cell, marks).equals(ROW)) continue;
    return { before: page.toString("hex", marks, marks + 8), own: page.toString("hex", marks + 8, marks + 16) };
  }
  return undefined;
}

/** A file that is read by position. */
class OpenFile implements Disposable {
  constructor(private readonly descriptor: number) {}

  readUpTo(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(this.descriptor, bytes, 0, length, at));
  }

  /** Undefined if the file ends before. */
  read(at: number, length: number): Buffer | undefined {
    const bytes = this.readUpTo(at, length);
    return bytes.length === length ? bytes : undefined;
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }
}

function openFile(path: string): OpenFile | undefined {
  try {
    return new OpenFile(openSync(path, "r"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
