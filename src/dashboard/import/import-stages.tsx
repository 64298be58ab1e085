import { ImportProgressView } from "./import-progress.tsx";
import { ImportResult } from "./import-result.tsx";
import { ImportReview } from "./import-review.tsx";
import type { ImportStep } from "./import-steps.ts";

interface ImportStagesProps {
  readonly step: Exclude<ImportStep, { readonly name: "choosing" | "rejected" }>;
  readonly onAnother: () => void;
  /** Leaves the import to go on in the background. */
  readonly onHide: () => void;
  readonly onClose: () => void;
}

/** The dialog once a file is there. */
export function ImportStages({ step, onAnother, onHide, onClose }: ImportStagesProps) {
  if (step.name === "review") return <ImportReview step={step} onAnother={onAnother} />;
  if (step.name === "running") return <ImportProgressView run={step.run} onStop={step.stop} onHide={onHide} />;
  return <ImportResult step={step} onAnother={onAnother} onClose={onClose} />;
}
