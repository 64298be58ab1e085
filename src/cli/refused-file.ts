import { closeSync, openSync, writeSync } from "node:fs";
import type { ImportProgress } from "#client/import.ts";
import { refusedLines } from "#client/refused-file.ts";
import { CannotWrite } from "#files/replace-file.ts";

/** Collects refused records, to be corrected and sent again. The file is created with the first one. */
export class RefusedFile {
  #descriptor: number | undefined;

  constructor(readonly path: string) {}

  get exists(): boolean {
    return this.#descriptor !== undefined;
  }

  add(progress: Pick<ImportProgress, "header" | "refused">): void {
    if (progress.refused.length === 0) return;
    try {
      if (this.#descriptor === undefined) {
        this.#descriptor = openSync(this.path, "w");
        writeAll(this.#descriptor, progress.header);
      }
      writeAll(this.#descriptor, Buffer.concat(refusedLines(progress)));
    } catch (cause) {
      throw new CannotWrite(this.path, cause as Error);
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
