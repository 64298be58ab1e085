import type { BulkFormat } from "./bulk-format.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** Where a field stands: a quote opens it at its start only, and closes it unless another one follows. */
type Field = "start" | "plain" | "quoted" | "quote in quoted";

/**
 * Finds where records end, in bytes that arrive in chunks, just as the service does: at LF, CR or CRLF, which in CSV
 * (RFC 4180) belong to the field inside quotes.
 */
export class RecordScanner {
  readonly #quotes: boolean;
  #field: Field = "start";
  #breaks = 0;
  #atLineStart = true;
  /** The last chunk ended with a CR: whether an LF belongs to it is not known yet. */
  #afterReturn = false;

  constructor(format: BulkFormat) {
    this.#quotes = format === "csv";
  }

  /** The lines up to here, counted as an editor does, with the one that has begun. */
  get lines(): number {
    return this.#atLineStart ? this.#breaks : this.#breaks + 1;
  }

  /** Just past the end of the record that `chunk[from]` belongs to; -1 if the record may go on in the next chunk. */
  endOfRecord(chunk: Uint8Array, from: number): number {
    let at = from;
    if (this.#afterReturn && at < chunk.length) {
      this.#afterReturn = false;
      if (chunk[at] === LINE_FEED) at++;
      if (this.#field !== "quoted") return at;
    }
    for (at = this.#nextBreak(chunk, at); at < chunk.length; at = this.#nextBreak(chunk, at)) {
      at = this.#passBreak(chunk, at);
      if (this.#field === "quoted") continue;
      this.#field = "start";
      return this.#afterReturn ? -1 : at;
    }
    return -1;
  }

  /** The place of the next LF or CR; the chunk's length if there is none. */
  #nextBreak(chunk: Uint8Array, from: number): number {
    let field = this.#field;
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) break;
      if (this.#quotes && !(this.#breaks === 0 && field === "start" && isOfMark(byte))) field = afterByte(field, byte);
    }
    this.#field = field;
    if (at > from) this.#atLineStart = false;
    return at;
  }

  #passBreak(chunk: Uint8Array, at: number): number {
    this.#breaks++;
    this.#atLineStart = true;
    if (chunk[at] === LINE_FEED) return at + 1;
    this.#afterReturn = at + 1 === chunk.length;
    return chunk[at + 1] === LINE_FEED ? at + 2 : at + 1;
  }
}

function afterByte(field: Field, byte: number | undefined): Field {
  if (byte === QUOTE) return field === "quoted" ? "quote in quoted" : field === "plain" ? "plain" : "quoted";
  if (field === "quoted") return "quoted";
  return byte === COMMA ? "start" : "plain";
}

function isOfMark(byte: number | undefined): boolean {
  return byte !== undefined && BYTE_ORDER_MARK.includes(byte);
}
