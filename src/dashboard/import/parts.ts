/** What an import needs once a file is there, as one part of the program. */
export { ImportStages } from "./import-stages.tsx";
export { beginReview } from "./review-steps.ts";
