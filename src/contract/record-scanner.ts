const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
/** The length of a byte-order mark, `sep=`, a character and CRLF. */
const MARKED_SEPARATOR_LINE_BYTES = 13;

/**
 * The state of a CSV field (RFC 4180, 2.5 to 2.7). A quote opens it only at its start, and closes it unless doubled.
 */
const START = 0;
const PLAIN = 1;
const QUOTED = 2;
const QUOTE_IN_QUOTED = 3;

/**
 * Finds the ends of records in bytes that arrive in chunks: at LF, CR or CRLF, except inside the quotes of a CSV field.
 * The service and its clients share it, so that both see the same records on the same lines.
 */
export class RecordScanner {
  readonly #quotes: boolean;
  #field = START;
  #breaks = 0;
  #atLineStart = true;
  /** The number of bytes of a byte-order mark seen at the start; its whole length once it has ended. */
  #markLength = 0;
  /** True if the last chunk ended with a CR, so that an LF at the start of the next one belongs to it. */
  #afterReturn = false;

  constructor({ quotes }: { readonly quotes: boolean }) {
    this.#quotes = quotes;
  }

  /** The number of lines so far, counted as an editor does, including the current one. */
  get lines(): number {
    return this.#atLineStart ? this.#breaks : this.#breaks + 1;
  }

  /** True if the current record is complete even if no more bytes come. */
  get ended(): boolean {
    return this.#afterReturn && this.#field !== QUOTED;
  }

  /**
   * The index after the record that `chunk[from]` belongs to, including its line break; -1 if the record may continue
   * in the next chunk.
   */
  endOfRecord(chunk: Uint8Array, from: number): number {
    let index = from;
    if (this.#afterReturn && index < chunk.length) {
      const ended = this.ended;
      this.#afterReturn = false;
      if (chunk[index] === LINE_FEED) index++;
      if (ended) return this.#startRecord(index);
    }
    for (index = this.#nextBreak(chunk, index); index < chunk.length; index = this.#nextBreak(chunk, index)) {
      index = this.#passBreak(chunk, index);
      if (this.#field === QUOTED) continue;
      return this.#afterReturn ? -1 : this.#startRecord(index);
    }
    return -1;
  }

  /** The index after the line feeds that follow each other where a record would begin. */
  afterEmptyLines(chunk: Uint8Array, from: number): number {
    if (this.#afterReturn || this.#markLength < BYTE_ORDER_MARK.length) return from;
    let index = from;
    while (chunk[index] === LINE_FEED) index++;
    this.#breaks += index - from;
    return index;
  }

  #startRecord(index: number): number {
    this.#field = START;
    return index;
  }

  /** The index of the next LF or CR, in quotes too; the chunk's length if there is none. */
  #nextBreak(chunk: Uint8Array, from: number): number {
    let index = this.#markLength < BYTE_ORDER_MARK.length ? this.#afterMark(chunk, from) : from;
    let field = this.#field;
    for (; index < chunk.length; index++) {
      const byte = chunk[index];
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) break;
      if (this.#quotes) field = afterByte(field, byte);
    }
    this.#field = field;
    if (index > from) this.#atLineStart = false;
    return index;
  }

  /** A byte-order mark before the first field is not part of the field, so a quote after it opens the field. */
  #afterMark(chunk: Uint8Array, from: number): number {
    let index = from;
    while (index < chunk.length && this.#markLength < BYTE_ORDER_MARK.length) {
      if (chunk[index] === BYTE_ORDER_MARK[this.#markLength]) {
        this.#markLength++;
        index++;
      } else {
        if (this.#markLength > 0) this.#field = PLAIN;
        this.#markLength = BYTE_ORDER_MARK.length;
      }
    }
    return index;
  }

  #passBreak(chunk: Uint8Array, index: number): number {
    this.#breaks++;
    this.#atLineStart = true;
    if (chunk[index] === LINE_FEED) return index + 1;
    this.#afterReturn = index + 1 === chunk.length;
    return chunk[index + 1] === LINE_FEED ? index + 2 : index + 1;
  }
}

export function withoutLineBreak(record: Uint8Array): Uint8Array {
  let end = record.length;
  if (record[end - 1] === LINE_FEED) end--;
  if (record[end - 1] === CARRIAGE_RETURN) end--;
  return end === record.length ? record : record.subarray(0, end);
}

export function withoutMark(bytes: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

/**
 * True if a record holds only spaces, tabs and its line break, or is of a CSV and has only cells that hold nothing (`,,`
 * or `"",""`). Such a record is passed over, and counted nowhere.
 */
export function isPassedOver(record: Uint8Array, { csv }: { readonly csv: boolean }): boolean {
  // Nearly every record begins with a digit or a brace.
  if ((record[0] ?? 0) > COMMA) return false;
  const isBlank = record.every(
    (byte) => byte === SPACE || byte === TAB || byte === LINE_FEED || byte === CARRIAGE_RETURN,
  );
  return isBlank || (csv && hasEmptyCellsAlone(withoutLineBreak(record)));
}

function hasEmptyCellsAlone(record: Uint8Array): boolean {
  let index = 0;
  for (;;) {
    if (record[index] === QUOTE && record[index + 1] === QUOTE) index += 2;
    if (index === record.length) return true;
    if (record[index++] !== COMMA) return false;
  }
}

/** The separator that the first line of a CSV names as spreadsheets do, in `sep=;`; undefined if it is another line. */
export function namedSeparator(line: Uint8Array): string | undefined {
  if (line.length > MARKED_SEPARATOR_LINE_BYTES) return undefined;
  const [, separator] = /^sep=(.?)\r?\n?$/i.exec(new TextDecoder().decode(line)) ?? [];
  return separator;
}

function afterByte(field: number, byte: number | undefined): number {
  if (byte === QUOTE) return field === QUOTED ? QUOTE_IN_QUOTED : field === PLAIN ? PLAIN : QUOTED;
  if (field === QUOTED) return QUOTED;
  return byte === COMMA ? START : PLAIN;
}
