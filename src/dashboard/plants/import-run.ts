import { useRef, useState } from "react";
import type { BulkFormat } from "#client/bulk-format.ts";
import type { ImportProgress, RefusedRecord } from "#client/import.ts";
import { refusedLines } from "#client/refused-file.ts";
import { saveFile } from "../browser/save-file.ts";
import { useStayQuestion } from "../browser/stay-question.ts";
import { usePage } from "../program/page-context.tsx";
import { plantsChanged } from "./plant-data.ts";

const FIRST_REFUSED_LENGTH = 20;

export interface ImportRun {
  readonly state: "running" | "done" | "stopped" | "failed";
  readonly counts: Pick<ImportProgress, "created" | "unchanged" | "failed" | "bytes" | "lines">;
  readonly startedAt: number;
  readonly sizeBytes: number;
  readonly refused: RefusedRecords;
  readonly cause?: unknown;
}

/** Sends a file in slices. After a stop or a failure everything sent so far stays; sending all of it again is safe. */
export function useImportRun() {
  const { service, queries } = usePage();
  const [run, setRun] = useState<ImportRun>();
  const abort = useRef<AbortController>(undefined);
  useStayQuestion(run?.state === "running");
  const start = async (file: File, format: BulkFormat) => {
    const refused = new RefusedRecords(format);
    const counts = { created: 0, unchanged: 0, failed: 0, bytes: 0, lines: 0 };
    const change = (part: Partial<ImportRun>) => setRun((before) => before && { ...before, ...part });
    abort.current = new AbortController();
    const { signal } = abort.current;
    const onProgress = (progress: ImportProgress) => {
      refused.add(progress);
      change({ counts: progress });
    };
    setRun({ state: "running", counts, startedAt: performance.now(), sizeBytes: file.size, refused });
    try {
      await service.client.import(file, { format, signal, retriesMax: 4, onProgress });
      change({ state: "done" });
    } catch (cause) {
      change(signal.aborted ? { state: "stopped" } : { state: "failed", cause });
    }
    await plantsChanged(queries);
  };
  return { run, start, stop: () => abort.current?.abort(), reset: () => setRun(undefined) };
}

/** All refused records as in the file, to be corrected and sent again, and the reason of each refusal. */
export class RefusedRecords {
  readonly #format: BulkFormat;
  /** The first ones, to be read here. */
  readonly first: RefusedRecord[] = [];
  // Blobs, since the browser moves large ones out of memory.
  records = new Blob();
  /** CSV. */
  reasons = new Blob(["line,error,message\n"]);

  constructor(format: BulkFormat) {
    this.#format = format;
  }

  add({ header, refused }: Pick<ImportProgress, "header" | "refused">): void {
    if (refused.length === 0) return;
    this.first.push(...refused.slice(0, FIRST_REFUSED_LENGTH - this.first.length));
    const before = this.records.size === 0 ? header.slice() : this.records;
    this.records = new Blob([before, ...refusedLines({ header, refused })]);
    const reasons = refused.map(({ line, error, message }) => `${line},${error},"${message.replaceAll('"', '""')}"\n`);
    this.reasons = new Blob([this.reasons, ...reasons]);
  }

  saveRecords(): void {
    saveFile(this.records, `refused.${this.#format}`, "application/octet-stream");
  }

  saveReasons(): void {
    saveFile(this.reasons, "refused-why.csv", "text/csv");
  }
}
