import type { BulkFormat } from "./bulk-format.ts";

/** Finds where records end, in bytes that arrive in chunks. */
export interface RecordScanner {
  /** Lines ended so far, counted as an editor does. */
  readonly lines: number;
  /** Just past the end of the record that `chunk[from]` belongs to; -1 if the record goes on in the next chunk. */
  endOfRecord(chunk: Uint8Array, from: number): number;
}

export function recordScanner(format: BulkFormat): RecordScanner {
  return format === "csv" ? new CsvScanner() : new NdjsonScanner();
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** A record is a line. */
class NdjsonScanner implements RecordScanner {
  lines = 0;

  endOfRecord(chunk: Uint8Array, from: number): number {
    const at = chunk.indexOf(LINE_FEED, from);
    if (at < 0) return -1;
    this.lines++;
    return at + 1;
  }
}

/** RFC 4180: a line's end inside a quoted field belongs to the field. A quote opens a field only at its start. */
class CsvScanner implements RecordScanner {
  lines = 0;
  #quoted = false;
  /** Here a quote opens a field: at its start, and just after a closing one, which it then turns into a quote within. */
  #mayOpen = true;

  endOfRecord(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === LINE_FEED) this.lines++;
      if (this.#quoted) this.#quoted = byte !== QUOTE;
      else if (byte === QUOTE) this.#quoted = this.#mayOpen;
      else this.#mayOpen = byte === COMMA || byte === LINE_FEED || this.#isByteOrderMark(byte);
      if (byte === LINE_FEED && !this.#quoted) return at + 1;
    }
    return -1;
  }

  #isByteOrderMark(byte: number): boolean {
    return this.lines === 0 && this.#mayOpen && BYTE_ORDER_MARK.includes(byte);
  }
}
