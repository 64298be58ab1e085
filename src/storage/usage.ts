import { sql } from "kysely";
import type { UsageRecords } from "#core/records.ts";
import {
  type LatencyCount,
  USAGE_INTERVAL_MS,
  USAGE_KEPT_MS,
  type UsageCount,
  type UsageInterval,
} from "#core/usage.ts";
import { type DatabaseAccess, removeSome } from "./database-access.ts";
import type { Schema } from "./schema.ts";

/** The tables with their keys. */
export const USAGE_KEYS = {
  usage_counts: ["account", "token", "span", "start", "outcome"],
  latencies: ["account", "token", "span", "start", "version", "bucket"],
} as const;
const SPANS: readonly UsageInterval[] = ["minute", "hour"];
/** Stands for the whole account, whatever the token. */
export const ALL_TOKENS = "";
/** Few enough for the serving thread. */
const ROWS_AT_ONCE = 200;

/** Usage on either engine. Several nodes add to the same rows, so the sums are those of all nodes. */
export function usageRecords(access: DatabaseAccess): UsageRecords {
  const addingTo = (table: keyof typeof USAGE_KEYS) => async (counts: readonly (LatencyCount | UsageCount)[]) => {
    const rows = summed(USAGE_KEYS[table], counts);
    const count = sql<number>`${sql.ref(`${table}.count`)} + excluded.count`;
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      const insert = access.db.insertInto(table).values(rows.slice(at, at + ROWS_AT_ONCE));
      await access.atomically([
        insert.onConflict((conflict) => conflict.columns(USAGE_KEYS[table]).doUpdateSet({ count })),
      ]);
    }
  };
  return {
    add: addingTo("usage_counts"),
    addLatencies: addingTo("latencies"),
    async forgetOld(now, signal) {
      for (const [table, key] of Object.entries(USAGE_KEYS)) {
        for (const span of SPANS) {
          const old = sql`span = ${span} AND start < ${now - USAGE_KEPT_MS[span]}`;
          while (await removeSome(access, table, key, old)) signal?.throwIfAborted();
        }
      }
    },
  };
}

type CountRow = Pick<Schema["usage_counts"], "account" | "token" | "span" | "start" | "count">;

/**
 * A row for each interval, token and kind of answer. Each row once, in the order of the key, so that nodes that write at
 * the same time do not deadlock.
 */
function summed(key: readonly string[], counts: readonly (LatencyCount | UsageCount)[]): CountRow[] {
  const rows = new Map<string, CountRow>();
  for (const { at, count, ...given } of counts) {
    for (const span of SPANS) {
      const start = at - (at % USAGE_INTERVAL_MS[span]);
      for (const token of new Set([ALL_TOKENS, given.token ?? ALL_TOKENS])) {
        const row = { ...given, span, start, token, count };
        const values: Readonly<Record<string, string | number>> = row;
        const name = key.map((column) => values[column]).join(" ");
        row.count += rows.get(name)?.count ?? 0;
        rows.set(name, row);
      }
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
