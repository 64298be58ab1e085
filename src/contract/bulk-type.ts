/** The media types for many plants at once, the same in every version. */
export const BULK_TYPES = ["application/x-ndjson", "text/csv"] as const;
export type BulkType = (typeof BULK_TYPES)[number];
