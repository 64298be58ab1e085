import type { BulkFormat } from "#client/bulk-format.ts";
import type { ImportProgress, RefusedRecord } from "#client/import.ts";
import { refusedLines } from "#client/refused-file.ts";
import { saveFile } from "../browser/save-file.ts";

/** All refused records as in the file, to be corrected and sent again, and the reason of each refusal. */
export class RefusedRecords {
  readonly #format: BulkFormat;
  // Blobs, since the browser moves large ones out of memory.
  #records = new Blob();
  #reasons = new Blob(["line,error,message\n"]);

  constructor(format: BulkFormat) {
    this.#format = format;
  }

  add({ header, refused }: Pick<ImportProgress, "header" | "refused">): void {
    if (refused.length === 0) return;
    const before = this.#records.size === 0 ? header.slice() : this.#records;
    this.#records = new Blob([before, ...refusedLines({ header, refused })]);
    this.#reasons = new Blob([this.#reasons, ...refused.map(reason)]);
  }

  /** The refused records, as a file of the same format. */
  get records(): Blob {
    return this.#records;
  }

  /** CSV: line, error, message. */
  get reasons(): Blob {
    return this.#reasons;
  }

  saveRecords(): void {
    saveFile(this.#records, `refused.${this.#format}`, "application/octet-stream");
  }

  saveReasons(): void {
    saveFile(this.#reasons, "refused-why.csv", "text/csv");
  }
}

function reason({ line, error, message }: RefusedRecord): string {
  return `${line},${error},"${message.replaceAll('"', '""')}"\n`;
}
