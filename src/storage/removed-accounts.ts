import { sql } from "kysely";
import type { AuditAction } from "#core/audit.ts";
import type { Job } from "#core/job.ts";
import type { AccountNumber } from "#core/plant.ts";
import { type DatabaseAccess, removeSome } from "./database-access.ts";
import { DATABASE_NOW } from "./engine.ts";
import { USAGE_KEYS } from "./usage.ts";

/** Rows of an account that no foreign key removes with it. */
export interface AccountRows {
  /** Ends between two slices, with the signal's reason, when that is aborted. */
  removeAll(account: AccountNumber, signal?: AbortSignal): Promise<void>;
}

const FIRST_SWEEP_DELAY_MS = 1000;
const SWEEP_INTERVAL_MS = 30_000;
/** How long until no node accepts the account's tokens or adds to its usage any more, by the database's clock. */
const SETTLED_MS = 10_000;

/**
 * Removes the rows of removed accounts. A trigger stores each removed account in `removed_accounts`, in the same
 * transaction, so a sweep finds the rows that a crash left behind.
 *
 * `noneUnderWay` resolves with true if every transaction that began before that time has ended. One that began before
 * the removal may still write plants of the account.
 */
export function removedAccounts(
  { db, engine }: Pick<DatabaseAccess, "db" | "engine">,
  rows: readonly AccountRows[],
  noneUnderWay: (since: number) => Promise<boolean>,
) {
  const empty = async (account: AccountNumber, signal?: AbortSignal) => {
    for (const each of rows) await each.removeAll(account, signal);
  };
  const now = DATABASE_NOW[engine];
  const settled = sql<boolean>`removed_at + ${sql.lit(SETTLED_MS)} < ${now}`.as("settled");
  const job: Job = {
    name: "removed-accounts",
    intervalMs: SWEEP_INTERVAL_MS,
    firstDelayMs: FIRST_SWEEP_DELAY_MS,
    exclusive: true,
    async run({ signal }) {
      // Set by a clock that was ahead, so that it would not be settled for as long.
      await db.updateTable("removed_accounts").set({ removed_at: now }).where("removed_at", ">", now).execute();
      const removed = await db.selectFrom("removed_accounts").selectAll().select(settled).execute();
      for (const { number, removed_at, settled } of removed) {
        const isSettled = settled && (await noneUnderWay(removed_at + SETTLED_MS));
        await empty(number, signal);
        if (isSettled) await db.deleteFrom("removed_accounts").where("number", "=", number).execute();
      }
    },
  };
  return { empty, job };
}

type Table = readonly [name: string, key: readonly string[]];

/**
 * Tables with the keys by which rows of an account are removed, some at a time, in the order of their removal. Its entries in
 * the audit log stay, for the operator.
 */
const TABLES: readonly Table[] = [
  ["plant_events", ["number"]],
  ["plant_event_actors", ["number"]],
  ...Object.entries(USAGE_KEYS),
];
const POSTGRES_TABLES: readonly Table[] = [
  // The mark goes first, which stops additions to the search index.
  ["plant_search_marks", ["account"]],
  ["plant_search_changes", ["serial"]],
  ["plant_search", ["number"]],
  ["plant_search_tags", ["kind", "tag"]],
  ["requests", ["number"]],
];

/** The rows that single statements remove, in slices, so that creates pass between them. */
export function rowsOfTables(access: DatabaseAccess): AccountRows {
  const tables = access.engine === "postgres" ? [...TABLES, ...POSTGRES_TABLES] : TABLES;
  return {
    async removeAll(account, signal) {
      for (const [table, key] of tables) {
        while (await removeSome(access, table, key, sql`account = ${account}`)) signal?.throwIfAborted();
      }
    },
  };
}

/**
 * Removes some of the entries in the own logs of people who are gone, or of one of them; that of their removal stays. Resolves
 * with true if there may be more.
 */
export function removeOwnEntries(access: DatabaseAccess, person?: string): Promise<boolean> {
  const removal = sql.lit("account.deleted" satisfies AuditAction);
  const gone = sql`SELECT person FROM audit_entries WHERE action = ${removal} AND person IS NOT NULL`;
  const whose = person === undefined ? sql`person IN (${gone})` : sql`person = ${person}`;
  const isGone = sql`NOT EXISTS (SELECT 1 FROM people WHERE people.id = audit_entries.person)`;
  return removeSome(access, "audit_entries", ["id"], sql`${whose} AND ${isGone} AND action <> ${removal}`);
}
