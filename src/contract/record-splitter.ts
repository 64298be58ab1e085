import { BODY_SIZE_BYTES_MAX } from "./limits.ts";

/** One record of a bulk body, without its line break; blank ones too. */
export interface RecordBytes {
  /** The line that it starts on, from 1, as an editor counts: CR, LF and CRLF each end one, in quotes too. */
  readonly line: number;
  /** Valid until the next record is asked for; undefined if it is longer than a record may be. */
  readonly bytes: Uint8Array | undefined;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Where a field stands (RFC 4180, 2.5 to 2.7): a quote opens at its start only, and closes unless it is doubled. */
const START = 0;
const PLAIN = 1;
const QUOTED = 2;
const QUOTE_IN_QUOTED = 3;

/**
 * Cuts a stream of bytes into records: lines, or with `quotes` CSV records, whose quoted fields may hold line breaks.
 * The chunks may end anywhere. Holds at most one record of the greatest size; a longer one is passed over to its end.
 */
export class RecordSplitter {
  readonly #quotes: boolean;
  readonly #sizeMax: number;
  #line = 1;
  #recordLine = 1;
  #field = START;
  #lastByte = 0;
  #markLength = 0;
  #held = new Uint8Array();
  #heldSize = 0;

  constructor(options: { quotes: boolean; sizeMax?: number }) {
    this.#quotes = options.quotes;
    this.#sizeMax = options.sizeMax ?? BODY_SIZE_BYTES_MAX;
  }

  /** How many lines lie before the record that is being read. */
  get linesRead(): number {
    return this.#recordLine - 1;
  }

  *push(chunk: Uint8Array): Generator<RecordBytes> {
    let start = 0;
    for (let at = this.#nextBreak(chunk, 0); at < chunk.length; at = this.#nextBreak(chunk, at + 1)) {
      const before = at === 0 ? this.#lastByte : chunk[at - 1];
      const secondOfTwo = before === CARRIAGE_RETURN && chunk[at] === LINE_FEED;
      if (!secondOfTwo) this.#line++;
      if (this.#field === QUOTED) continue;
      if (!secondOfTwo) yield this.#finished(chunk.subarray(start, at));
      start = at + 1;
    }
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
    this.#hold(chunk.subarray(start));
  }

  /** The last record, if no line break ended it. */
  *end(): Generator<RecordBytes> {
    if (this.#heldSize > 0) yield this.#finished(new Uint8Array());
  }

  /** The place of the next byte that breaks a line, in quotes too; the chunk's length if there is none. */
  #nextBreak(chunk: Uint8Array, start: number): number {
    let at = this.#quotes ? this.#afterMark(chunk, start) : start;
    let field = this.#field;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) break;
      if (this.#quotes) field = afterByte(field, byte);
    }
    this.#field = field;
    return at;
  }

  /** A byte-order mark before the first field is no part of it. */
  #afterMark(chunk: Uint8Array, start: number): number {
    let at = start;
    while (at < chunk.length && this.#markLength < BYTE_ORDER_MARK.length) {
      if (chunk[at] !== BYTE_ORDER_MARK[this.#markLength++]) this.#markLength = BYTE_ORDER_MARK.length;
      else at++;
    }
    return at;
  }

  #finished(last: Uint8Array): RecordBytes {
    const size = this.#heldSize + last.length;
    const spansChunks = this.#heldSize > 0;
    if (spansChunks) this.#hold(last);
    const bytes = spansChunks ? this.#held.subarray(0, size) : last;
    const record = { line: this.#recordLine, bytes: size > this.#sizeMax ? undefined : bytes };
    this.#recordLine = this.#line;
    this.#field = START;
    this.#heldSize = 0;
    return record;
  }

  /** Keeps a copy, since the stream may use the chunk's memory again; of what is too long, nothing but the size. */
  #hold(rest: Uint8Array): void {
    const size = this.#heldSize + rest.length;
    if (size <= this.#sizeMax) {
      if (size > this.#held.length) this.#held = grown(this.#held, Math.min(2 * size, this.#sizeMax));
      this.#held.set(rest, this.#heldSize);
    }
    this.#heldSize = size;
  }
}

function grown(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size);
  larger.set(bytes);
  return larger;
}

function afterByte(field: number, byte: number | undefined): number {
  if (byte === QUOTE) return field === QUOTED ? QUOTE_IN_QUOTED : field === PLAIN ? PLAIN : QUOTED;
  if (field === QUOTED) return QUOTED;
  return byte === COMMA ? START : PLAIN;
}
