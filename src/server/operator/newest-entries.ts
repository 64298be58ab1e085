import type { LogReads } from "#core/reads.ts";
import { fullPage, toEnd } from "#http/reading/in-turns.ts";

/** Reads the newest entries of a log to the end, however long it takes: a command keeps nobody waiting. */
export async function newestEntries<Query extends { readonly limit: number }, Entry, Key>(
  log: LogReads<Query, Entry, Key>,
  key: Key,
  query: Query,
): Promise<readonly Entry[]> {
  return (await toEnd(fullPage(log, key, query, Number.POSITIVE_INFINITY))).found;
}
