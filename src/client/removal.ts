import { type BulkOptions, type BulkProgress, type BulkReached, sendInBulk } from "./bulk.ts";
import type { BulkFormat } from "./bulk-format.ts";
import { requireKnownOptions } from "./call-options.ts";
import type { Connection } from "./connection.ts";
import { exactId, type Id } from "./plant.ts";
import { type Items, linesOf, type TextSource } from "./stream.ts";

/** A plant to remove: its id, or itself as it was read, of which no other version is removed if it has an `etag`. */
export type PlantToRemove = Id | { readonly id: Id; readonly etag?: string };

/** The outcome so far. Every record that is counted as removed is removed on disk. */
export interface RemovalCount extends BulkReached {
  readonly removed: number;
  /** The number of records for whose id there was no plant. */
  readonly missing: number;
}

export interface RemovalProgress extends RemovalCount, BulkProgress {}
export interface RemovalSummary extends RemovalProgress {}

export interface RemovalOptions extends BulkOptions<RemovalProgress> {
  /** Writes nothing, and counts what would be: in one request, of up to 1,000,000 different ids. */
  readonly dryRun?: boolean;
}

export function removeFrom(
  connection: Connection,
  source: TextSource,
  format: BulkFormat,
  { dryRun, ...options }: RemovalOptions,
): Promise<RemovalSummary> {
  requireKnownOptions(options, ["format", "dryRun", "onProgress"]);
  const counts = ["removed", "missing"] as const;
  return sendInBulk(connection, source, format, { path: "/plants/remove", counts, dryRun }, options);
}

/** Plants to remove as NDJSON, one on each line. */
export function removalLines(plants: Items<PlantToRemove>): AsyncGenerator<Uint8Array> {
  return linesOf(plants, (plant) => {
    if (typeof plant !== "object") return String(exactId(plant));
    const { id, etag } = plant;
    return etag === undefined ? String(exactId(id)) : `{"id":${exactId(id)},"etag":${JSON.stringify(etag)}}`;
  });
}
