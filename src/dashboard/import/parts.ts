/** The part of the program that an import loads once a file is chosen. */
export { ImportStages } from "./import-stages.tsx";
export { beginReview } from "./review-steps.ts";
