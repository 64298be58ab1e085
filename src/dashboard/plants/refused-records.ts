import type { RefusedRecord } from "#client/import.ts";
import { saveFile } from "../save-file.ts";
import type { ImportPreview } from "./import-preview.ts";

/** All records that were refused: as they stood in the file, to be put right and sent again, and why. */
export class RefusedRecords {
  readonly #format: ImportPreview["format"];
  // Blobs, since the browser moves large ones out of memory.
  #records: Blob;
  #reasons = new Blob(["line,error,message\n"]);

  constructor({ format, header }: Pick<ImportPreview, "format" | "header">) {
    this.#format = format;
    this.#records = new Blob([header]);
  }

  add(refused: readonly RefusedRecord[]): void {
    if (refused.length === 0) return;
    const lines = refused.flatMap(({ record }) => [new Uint8Array(record), "\n"]);
    this.#records = new Blob([this.#records, ...lines]);
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
