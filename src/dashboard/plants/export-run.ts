import { useRef, useState } from "react";
import type { BulkFormat } from "#client/bulk-format.ts";
import { plantsClient } from "../api/plants-client.ts";
import { saveFile } from "../save-file.ts";

export type ExportRun =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly bytes: number }
  | { readonly state: "failed"; readonly cause: unknown };

/** Chromium's way to write a file as it arrives (File System Access); elsewhere the browser collects it first. */
interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<{ createWritable(): Promise<WritableStream> }>;
}

/** Fetches every plant into a file. */
export function useExportRun() {
  const [run, setRun] = useState<ExportRun>({ state: "idle" });
  const abort = useRef<AbortController>(undefined);
  const start = async (format: BulkFormat) => {
    const name = `plants.${format}`;
    abort.current = new AbortController();
    const { signal } = abort.current;
    try {
      const target = await fileTarget(name);
      setRun({ state: "running", bytes: 0 });
      const counted = countedBytes((bytes) => setRun({ state: "running", bytes }));
      const source = plantsClient.export({ format, signal }).readable().pipeThrough(counted);
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
