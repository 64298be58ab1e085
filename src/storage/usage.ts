import { sql } from "kysely";
import type { AccountNumber } from "#core/plant.ts";
import type { UsageStore } from "#core/store.ts";
import {
  type LatencyCount,
  USAGE_INTERVAL_MS,
  USAGE_KEPT_MS,
  type UsageCount,
  type UsageInterval,
} from "#core/usage.ts";
import type { Atomically } from "./atomically.ts";
import type { Queries } from "./queries.ts";
import type { Schema } from "./schema.ts";

const TABLES = ["usage_counts", "latencies"] as const;
const SPANS: readonly UsageInterval[] = ["minute", "hour"];
/** Stands for the whole account, whatever the token. */
export const ALL_TOKENS = "";
/** Few enough for the serving thread. */
const ROWS_AT_ONCE = 200;

type Row = Schema["usage_counts"];

/** Usage on either engine. Several nodes add to the same rows, so the sums are those of all nodes. */
export class Usage implements UsageStore {
  readonly #db: Queries;
  readonly #atomically: Atomically;

  constructor(db: Queries, atomically: Atomically) {
    this.#db = db;
    this.#atomically = atomically;
  }

  async add(counts: readonly UsageCount[]): Promise<void> {
    const rows = summed(counts);
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      const query = this.#db
        .insertInto("usage_counts")
        .values(rows.slice(at, at + ROWS_AT_ONCE))
        .onConflict((conflict) =>
          conflict
            .columns(["account", "token", "span", "start", "outcome"])
            .doUpdateSet({ count: sql<number>`usage_counts.count + excluded.count` }),
        );
      await this.#atomically([query.compile()]);
    }
  }

  async addLatencies(counts: readonly LatencyCount[]): Promise<void> {
    const rows = summedLatencies(counts);
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      const query = this.#db
        .insertInto("latencies")
        .values(rows.slice(at, at + ROWS_AT_ONCE))
        .onConflict((conflict) =>
          conflict
            .columns(["account", "token", "span", "start", "version", "bucket"])
            .doUpdateSet({ count: sql<number>`latencies.count + excluded.count` }),
        );
      await this.#atomically([query.compile()]);
    }
  }

  async forgetOld(now: number): Promise<void> {
    for (const table of TABLES) {
      for (const span of SPANS) {
        const limit = now - USAGE_KEPT_MS[span];
        const old = this.#db.selectFrom(table).select((row) => row.fn.min("start").as("start"));
        const oldest = old.where("span", "=", span).where("start", "<", limit);
        const forget = this.#db.deleteFrom(table).where("span", "=", span).where("start", "=", oldest);
        while ((await forget.executeTakeFirst()).numDeletedRows > 0n);
      }
    }
  }

  /** Removes in slices, so that creates pass between them. */
  async removeAll(account: AccountNumber): Promise<void> {
    for (const table of TABLES) {
      const rows = this.#db.selectFrom(table).where("account", "=", account);
      for (;;) {
        const first = await rows.select("token").limit(1).executeTakeFirst();
        if (!first) break;
        await this.#db.deleteFrom(table).where("account", "=", account).where("token", "=", first.token).execute();
      }
    }
  }
}

/** Each row once, in the order of the key, so that nodes that write at the same time do not deadlock. */
function summed(counts: readonly UsageCount[]): Row[] {
  const rows = new Map<string, Row>();
  for (const count of counts) {
    for (const span of SPANS) {
      for (const token of count.token === undefined ? [ALL_TOKENS] : [ALL_TOKENS, count.token])
        add(rows, count, span, token);
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function add(rows: Map<string, Row>, { account, at, outcome, count }: UsageCount, span: UsageInterval, token: string) {
  const start = at - (at % USAGE_INTERVAL_MS[span]);
  const key = `${String(account).padStart(16, "0")} ${token} ${span} ${start} ${outcome}`;
  const row = rows.get(key);
  if (row) row.count += count;
  else rows.set(key, { account, token, span, start, outcome, count });
}

function summedLatencies(counts: readonly LatencyCount[]): Schema["latencies"][] {
  const rows = new Map<string, Schema["latencies"]>();
  for (const { account, token: id, version, at, bucket, count } of counts) {
    for (const span of SPANS) {
      for (const token of id === undefined ? [ALL_TOKENS] : [ALL_TOKENS, id]) {
        const start = at - (at % USAGE_INTERVAL_MS[span]);
        const key = `${String(account).padStart(16, "0")} ${token} ${span} ${start} ${version} ${bucket}`;
        const row = rows.get(key);
        if (row) row.count += count;
        else rows.set(key, { account, token, version, span, start, bucket, count });
      }
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
