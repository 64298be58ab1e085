import type { ImportCounts } from "./import-run.ts";

/** How fast an import goes, and how long it still takes; both undefined until its first slice is answered. */
export interface ImportPace {
  readonly recordsPerSecond: number | undefined;
  readonly secondsLeft: number | undefined;
  /** From 0 to 100. */
  readonly percent: number;
}

export function importPace(counts: ImportCounts, sizeBytes: number, elapsedMs: number): ImportPace {
  const percent = sizeBytes === 0 ? 100 : Math.min(100, (counts.bytes / sizeBytes) * 100);
  if (counts.bytes === 0 || elapsedMs <= 0) return { recordsPerSecond: undefined, secondsLeft: undefined, percent };
  const records = counts.created + counts.unchanged + counts.failed;
  const bytesLeft = Math.max(0, sizeBytes - counts.bytes);
  return {
    recordsPerSecond: Math.round((records / elapsedMs) * 1000),
    secondsLeft: Math.ceil((bytesLeft / counts.bytes) * (elapsedMs / 1000)),
    percent,
  };
}
