import { useRef, useState } from "react";
import type { BulkFormat } from "#client/bulk-format.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { ItemStream } from "#client/stream.ts";
import { CSV_HEADER, csvRecord } from "#contract/v1/csv.ts";
import { keptPlantBody } from "#contract/v1/plant.ts";
import { saveFile } from "../browser/save-file.ts";
import { useService } from "../program/page-context.tsx";
import { matchingPlants, selectedPlants } from "./matching-plants.ts";
import type { PlantsAddress } from "./plants-address.ts";

export type ExportRun =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly bytes: number }
  | { readonly state: "failed"; readonly cause: unknown };

/** Every plant, those that the address finds, or those with these ids. */
export interface ExportChoice {
  readonly address?: PlantsAddress;
  readonly ids?: ReadonlySet<string>;
}

/** Chromium can write a file as it arrives (File System Access); other browsers collect it first. */
interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<{ createWritable(): Promise<WritableStream> }>;
}

/** Fetches plants into a file. */
export function useExportRun() {
  const { plants } = useService();
  const [run, setRun] = useState<ExportRun>({ state: "idle" });
  const abort = useRef<AbortController>(undefined);
  const start = async (format: BulkFormat, choice: ExportChoice = {}) => {
    const name = `plants.${format}`;
    abort.current = new AbortController();
    const { signal } = abort.current;
    try {
      const target = await fileTarget(name);
      setRun({ state: "running", bytes: 0 });
      const counted = countedBytes((bytes) => setRun({ state: "running", bytes }));
      const source = exportedBytes(plants, format, choice, signal).pipeThrough(counted);
      if (target) await source.pipeTo(target, { signal });
      else saveFile(await new Response(source).blob(), name, "application/octet-stream");
      setRun({ state: "idle" });
    } catch (cause) {
      const stopped = signal.aborted || (cause instanceof DOMException && cause.name === "AbortError");
      setRun(stopped ? { state: "idle" } : { state: "failed", cause });
    }
  };
  return { run, start, stop: () => abort.current?.abort(), reset: () => setRun({ state: "idle" }) };
}

function exportedBytes(client: PlantstoreClient, format: BulkFormat, choice: ExportChoice, signal: AbortSignal) {
  const { address, ids } = choice;
  if (!address) return client.export({ format, signal }).readable();
  const found = ids ? selectedPlants(client, address, ids, signal) : matchingPlants(client, address, signal);
  return new ItemStream(() => found).readable().pipeThrough(recordBytes(format));
}

/** The same bytes for each plant as in an export of the service. */
function recordBytes(format: BulkFormat): TransformStream<StoredPlant, Uint8Array> {
  const encoder = new TextEncoder();
  return new TransformStream({
    start(controller) {
      if (format === "csv") controller.enqueue(encoder.encode(CSV_HEADER));
    },
    transform({ createdAt, updatedAt, id, name, tag }, controller) {
      const plant = { id, name, tag, createdAt: createdAt.getTime(), updatedAt: updatedAt.getTime() };
      controller.enqueue(encoder.encode(format === "csv" ? csvRecord(plant) : `${keptPlantBody(plant)}\n`));
    },
  });
}

async function fileTarget(suggestedName: string): Promise<WritableStream | undefined> {
  const picker = window as FilePicker;
  return (await picker.showSaveFilePicker?.({ suggestedName }))?.createWritable();
}

const SHOWN_EVERY_MS = 200;

function countedBytes(show: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let shownAt = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (performance.now() - shownAt > SHOWN_EVERY_MS) {
        shownAt = performance.now();
        show(bytes);
      }
      controller.enqueue(chunk);
    },
  });
}
