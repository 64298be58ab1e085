import { errorMeaning } from "../errors.ts";
import { BULK_ERRORS } from "../limits.ts";
import { readCount, readParameters } from "../parameters.ts";
import type { BulkReport } from "./bulk-report.ts";

export function bulkBody({ created, unchanged, failed, errors }: BulkReport): string {
  const refused = errors.map(({ line, failure }) => ({
    line,
    error: errorMeaning(failure.code).error,
    message: failure.message,
  }));
  return JSON.stringify({ created, unchanged, failed, errors: refused });
}

/** Reads the maximum number of refusals for the answer from the raw query. Throws "address-malformed". */
export function readImportQuery(query: string): number {
  const { errors_max: value } = readParameters(query, ["errors_max"]);
  return readCount("errors_max", value, BULK_ERRORS);
}
