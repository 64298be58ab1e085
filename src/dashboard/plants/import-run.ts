import { useQueryClient } from "@tanstack/react-query";
import { useReducer, useRef } from "react";
import type { ImportProgress, RefusedRecord } from "#client/import.ts";
import { useStayQuestion } from "../browser/stay-question.ts";
import { useService } from "../program/page-context.tsx";
import type { ImportPreview } from "./import-preview.ts";
import { plantsChanged } from "./plants-changed.ts";
import { RefusedRecords } from "./refused-records.ts";

type ImportCounts = Pick<ImportProgress, "created" | "unchanged" | "failed" | "bytes" | "lines">;

const NOTHING: ImportCounts = { created: 0, unchanged: 0, failed: 0, bytes: 0, lines: 0 };
const FIRST_REFUSED_LENGTH = 20;

export interface ImportRun {
  readonly state: "ready" | "running" | "done" | "stopped" | "failed";
  readonly counts: ImportCounts;
  readonly startedAt: number;
  /** The first refused records, to be read here; all of them are in `refused`. */
  readonly firstRefused: readonly RefusedRecord[];
  readonly refused: RefusedRecords | undefined;
  readonly cause: unknown;
}

const READY: ImportRun = {
  state: "ready",
  counts: NOTHING,
  startedAt: 0,
  firstRefused: [],
  refused: undefined,
  cause: undefined,
};

/** Sends a file in slices. After a stop or a failure everything sent so far stays; sending all of it again is safe. */
export function useImportRun() {
  const { plants } = useService();
  const [run, change] = useReducer((before: ImportRun, part: Partial<ImportRun>) => ({ ...before, ...part }), READY);
  const abort = useRef<AbortController>(undefined);
  const queries = useQueryClient();
  useStayQuestion(run.state === "running");

  const start = async (file: File, preview: ImportPreview) => {
    const refused = new RefusedRecords(preview.format);
    const firstRefused: RefusedRecord[] = [];
    abort.current = new AbortController();
    change({ ...READY, state: "running", startedAt: performance.now(), refused });
    try {
      await plants.import(file, {
        format: preview.format,
        signal: abort.current.signal,
        retriesMax: 4,
        onProgress(progress) {
          refused.add(progress);
          firstRefused.push(...progress.refused.slice(0, FIRST_REFUSED_LENGTH - firstRefused.length));
          change({ counts: progress, firstRefused: [...firstRefused] });
        },
      });
      change({ state: "done" });
    } catch (cause) {
      change(abort.current.signal.aborted ? { state: "stopped" } : { state: "failed", cause });
    }
    await plantsChanged(queries);
  };
  const stop = () => abort.current?.abort();
  const reset = () => change(READY);
  return { run, start, stop, reset };
}
