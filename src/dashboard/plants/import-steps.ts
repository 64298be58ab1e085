import type { QueryClient } from "@tanstack/react-query";
import type { RefusedRecord } from "#client/bulk.ts";
import type { BulkFormat } from "#client/bulk-format.ts";
import type { ImportProgress } from "#client/import.ts";
import { refusedLines } from "#client/refused-file.ts";
import type { NextId } from "#contract/dashboard/plants.ts";
import { csvCell } from "#contract/v1/csv.ts";
import type { ServiceClient } from "../api/service-client.ts";
import type { Signal } from "../api/signal.ts";
import { saveFile } from "../browser/save-file.ts";
import type { Assignment, Conversion } from "./import-file.ts";
import type { ImportPreview } from "./import-preview.ts";
import { plantsChanged } from "./plant-data.ts";

const FIRST_REFUSED_LENGTH = 20;

export interface Chosen {
  readonly file: File;
  readonly preview: ImportPreview;
}

export interface Rejected {
  readonly name: "rejected";
  readonly file: File;
  readonly cause: unknown;
}

export interface ImportRun {
  readonly counts: Pick<ImportProgress, "created" | "unchanged" | "failed" | "bytes" | "lines">;
  readonly startedAt: number;
  readonly sizeBytes: number;
  readonly refused: RefusedRecords;
}

/**
 * Where the page's import is. It belongs to the page, so that it goes on when its dialog is left:
 *
 * - `choosing` until a file was read, which leads to `previewed`, or else to `rejected`
 * - `previewed` until Import is pressed; its columns may be assigned anew
 * - `preparing` while the file is converted, then `running` until everything is sent, or it is stopped or fails
 * - `done` until the result is closed, or the file is sent again
 */
export type ImportStep =
  | { readonly name: "choosing" }
  | Rejected
  | { readonly name: "previewed" | "preparing"; readonly chosen: Chosen }
  | { readonly name: "running"; readonly chosen: Chosen; readonly run: ImportRun; readonly stop: () => void }
  | {
      readonly name: "done";
      readonly chosen: Chosen;
      readonly run: ImportRun;
      readonly outcome: "whole" | "stopped" | "failed";
      readonly cause?: unknown;
    };

interface ImportPage {
  readonly service: ServiceClient;
  readonly queries: QueryClient;
  readonly importStep: Signal<ImportStep>;
}

/** True while leaving the page would lose a part of the file. */
export function isImporting({ name }: ImportStep): boolean {
  return name === "preparing" || name === "running";
}

/** Loaded here because no other page needs these parsers. */
async function loadReaders() {
  try {
    const [preview, file] = await Promise.all([import("./import-preview.ts"), import("./import-file.ts")]);
    const { previewOf, assignedPreview } = preview;
    return { previewOf, assignedPreview, ...file };
  } catch (cause) {
    throw new Error("A part of this page could not be loaded. Reload the page, then choose the file again.", { cause });
  }
}

/** Reads the file. Meanwhile another may be chosen, which then counts alone. */
export async function chooseFile(page: ImportPage, file: File, conversion?: Conversion): Promise<void> {
  const { importStep } = page;
  const reading: ImportStep = { name: "choosing" };
  importStep.set(reading);
  // A further conversion, such as of the separators after the encoding, starts from the result of the first.
  let readable = file;
  try {
    const { previewOf, convertedFile } = await loadReaders();
    if (conversion) readable = await convertedFile(file, conversion);
    const preview = await previewOf(readable);
    if (importStep.get() !== reading) return;
    if (preview.assigned) await assignColumns(page, readable, preview.assigned);
    else importStep.set({ name: "previewed", chosen: { file: readable, preview } });
  } catch (cause) {
    if (importStep.get() === reading) importStep.set({ name: "rejected", file: readable, cause });
  }
}

export async function assignColumns(page: ImportPage, file: File, assigned: Assignment): Promise<void> {
  const { importStep, service } = page;
  const preview = (assigned: Assignment, { assignedPreview }: Awaited<ReturnType<typeof loadReaders>>) =>
    importStep.set({ name: "previewed", chosen: { file, preview: assignedPreview(assigned) } });
  /** The columns of the file, unless another was chosen meanwhile, or this one is being sent. */
  const present = () => {
    const step = importStep.get();
    return step.name === "previewed" && step.chosen.file === file ? step.chosen.preview.assigned : undefined;
  };
  try {
    const readers = await loadReaders();
    preview(assigned, readers);
    if (assigned.firstId !== undefined || assigned.columns.id !== undefined) return;
    const firstId = await nextId(service);
    const now = present();
    if (now) preview({ ...now, firstId }, readers);
  } catch (cause) {
    if (present()) importStep.set({ name: "rejected", file, cause });
  }
}

/** One more than the greatest id of the account; undefined if there is none above it. */
async function nextId(service: ServiceClient): Promise<bigint | undefined> {
  const { id } = await service.api<NextId>("GET", "/plants/next-id");
  return id === null ? undefined : BigInt(id);
}

export async function sendFile(page: ImportPage, chosen: Chosen): Promise<void> {
  const { importStep } = page;
  if (isImporting(importStep.get())) return;
  const { file, preview } = chosen;
  importStep.set({ name: "preparing", chosen });
  let sent = file;
  try {
    if (preview.assigned) {
      const { rememberColumns, assignedFile } = await loadReaders();
      rememberColumns(preview.assigned);
      // The same ids each time, so that the file can be sent again.
      sent = await assignedFile(file, preview.assigned);
    }
  } catch (cause) {
    return importStep.set({ name: "rejected", file, cause });
  }
  await run(page, chosen, sent);
}

/** Sends a file in slices. After a stop or a failure everything sent so far stays; sending all of it again is safe. */
async function run({ service, queries, importStep }: ImportPage, chosen: Chosen, file: File): Promise<void> {
  const { format } = chosen.preview;
  const refused = new RefusedRecords(format);
  const abort = new AbortController();
  let run: ImportRun = {
    counts: { created: 0, unchanged: 0, failed: 0, bytes: 0, lines: 0 },
    startedAt: performance.now(),
    sizeBytes: file.size,
    refused,
  };
  const show = () => importStep.set({ name: "running", chosen, run, stop: () => abort.abort() });
  const onProgress = (progress: ImportProgress) => {
    refused.add(progress);
    run = { ...run, counts: progress };
    show();
  };
  show();
  try {
    await service.client.importPlants(file, { format, signal: abort.signal, retriesMax: 4, onProgress });
    importStep.set({ name: "done", chosen, run, outcome: "whole" });
  } catch (cause) {
    const end = abort.signal.aborted ? { outcome: "stopped" as const } : { outcome: "failed" as const, cause };
    importStep.set({ name: "done", chosen, run, ...end });
  }
  await plantsChanged(queries);
}

/** All refused records as in the file, to be corrected and sent again, and the reason of each refusal. */
export class RefusedRecords {
  readonly #format: BulkFormat;
  /** The first ones, to be read here. */
  readonly first: RefusedRecord[] = [];
  // Blobs, since the browser moves large ones out of memory.
  records = new Blob();
  reasons = new Blob(["line,error,message\n"]);

  constructor(format: BulkFormat) {
    this.#format = format;
  }

  add({ header, refused }: Pick<ImportProgress, "header" | "refused">): void {
    if (refused.length === 0) return;
    this.first.push(...refused.slice(0, FIRST_REFUSED_LENGTH - this.first.length));
    const before = this.records.size === 0 ? header.slice() : this.records;
    this.records = new Blob([before, ...refusedLines({ header, refused })]);
    const reasons = refused.map(({ line, error, message }) => `${line},${error},${csvCell(message)}\n`);
    this.reasons = new Blob([this.reasons, ...reasons]);
  }

  saveRecords(): void {
    saveFile(this.records, `refused.${this.#format}`, "application/octet-stream");
  }

  saveReasons(): void {
    saveFile(this.reasons, "refused-why.csv", "text/csv");
  }
}
