import type { BulkType } from "#contract/bulk-type.ts";

/** The format of a file of plants: one JSON object a line, or CSV (RFC 4180) with a header. */
export type BulkFormat = "ndjson" | "csv";

export const BULK_MEDIA_TYPES: Readonly<Record<BulkFormat, BulkType>> = {
  ndjson: "application/x-ndjson",
  csv: "text/csv",
};
