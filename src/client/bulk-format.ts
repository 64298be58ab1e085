/** The format of a file of plants: one JSON object a line, or CSV (RFC 4180) with a header. */
export type BulkFormat = "ndjson" | "csv";

export const BULK_MEDIA_TYPES: Readonly<Record<BulkFormat, string>> = {
  ndjson: "application/x-ndjson",
  csv: "text/csv",
};
