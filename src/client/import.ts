import { type BulkOptions, type BulkProgress, type BulkReached, sendInBulk } from "./bulk.ts";
import type { BulkFormat } from "./bulk-format.ts";
import { requireKnownOptions } from "./call-options.ts";
import type { Connection } from "./connection.ts";
import type { TextSource } from "./stream.ts";

/** The outcome so far. Every record that is counted as created or updated is on disk. */
export interface ImportCount extends BulkReached {
  readonly created: number;
  /** The number of records that changed a plant, with `existing: "update"`. */
  readonly updated: number;
  /** The number of records whose plant already existed with the same texts. */
  readonly unchanged: number;
}

export interface ImportProgress extends ImportCount, BulkProgress {}
export interface ImportSummary extends ImportProgress {}

export interface ImportOptions extends BulkOptions<ImportProgress> {
  /**
   * "update": a record whose plant exists sets what it has, and leaves the rest. By default it is refused unless the plant is the
   * same.
   */
  readonly existing?: "refuse" | "update";
  /** Writes nothing, and counts what would be: in one request, of up to 1,000,000 different ids. */
  readonly dryRun?: boolean;
}

export function importFrom(
  connection: Connection,
  source: TextSource,
  format: BulkFormat,
  { existing, dryRun, ...options }: ImportOptions,
): Promise<ImportSummary> {
  requireKnownOptions(options, ["format", "existing", "dryRun", "onProgress"]);
  const counts = ["created", "updated", "unchanged"] as const;
  return sendInBulk(
    connection,
    source,
    format,
    { path: "/plants/import", query: { existing }, counts, dryRun },
    options,
  );
}
