import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { AuditLogKey, AuditQuery, AuditRecord } from "#core/audit.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { LogSlice, Reads, UsageReads } from "#core/reads.ts";
import { rolesWith } from "#core/role.ts";
import type { UsageQuery } from "#core/usage.ts";
import type { DeliveryPage, DeliveryQuery } from "#core/webhook.ts";
import { recordFromRow } from "./audit.ts";
import type { Queries } from "./database-access.ts";
import { removedStores } from "./removed-logs.ts";
import { idsOf } from "./roles.ts";
import type { Schema } from "./schema.ts";
import { storeFromRow } from "./stores.ts";
import { tokenFromRow, tokensOf } from "./tokens.ts";
import { ALL_TOKENS } from "./usage.ts";
import { deliveryFromRow } from "./webhook-row.ts";

/** The entries of a log that one slice of a search reads. */
export const SCANNED_ENTRIES_MAX = 20_000;

/** The reads that are the same on both engines. */
export function sharedReads(db: Queries): Pick<Reads, "usage" | "audit" | "tokens" | "stores" | "people" | "webhooks"> {
  return {
    usage: usageReads(db),
    audit: { list: (log, query) => auditSlice(db, log, query) },
    tokens: {
      async list(account) {
        const maker = sql.ref("tokens.made_by");
        const mayMake = sql`${maker} IN ${idsOf(account, rolesWith("use tokens"))}`;
        const isLeftBehind = sql<boolean | number>`${maker} IS NOT NULL AND NOT ${mayMake}`.as("is_left_behind");
        const tokens = tokensOf(db, account).select(isLeftBehind).orderBy("created_at", "desc").orderBy("id");
        const rows = await tokens.execute();
        return rows.map((row) => ({ ...tokenFromRow(row), isLeftBehind: Boolean(row.is_left_behind) }));
      },
    },
    people: {
      async list() {
        const stores = sql<number>`CAST((SELECT count(*) FROM members WHERE members.person = people.id) AS integer)`;
        const people = db.selectFrom("people").select(["id", "name", "email", stores.as("stores")]);
        return await people.orderBy("created_at").orderBy("id").execute();
      },
    },
    webhooks: { deliveries: (endpoint, query) => deliveryPage(db, endpoint, query) },
    stores: {
      removed: () => removedStores(db),
      async list() {
        const stores = await db.selectFrom("stores").selectAll().orderBy("number").execute();
        const owners = await db
          .selectFrom("members")
          .innerJoin("people", "people.id", "members.person")
          .select(["store", "email"])
          .where("role", "=", "owner")
          .orderBy("joined_at")
          .execute();
        const ofStores = Map.groupBy(owners, ({ store }) => store);
        return stores.map((row) => {
          const emails = (ofStores.get(row.number) ?? []).map(({ email }) => email);
          return { ...storeFromRow(row), owners: emails, suspendedAt: row.suspended_at ?? undefined };
        });
      },
    },
  };
}

async function deliveryPage(db: Queries, endpoint: string, query: DeliveryQuery): Promise<DeliveryPage> {
  let rows = db.selectFrom("webhook_attempts").selectAll().where("endpoint", "=", endpoint);
  if (query.status) rows = rows.where("status", "=", query.status);
  if (query.type !== undefined) rows = rows.where("type", "=", query.type);
  if (query.event !== undefined) rows = rows.where("event", "=", query.event);
  if (query.before !== undefined) rows = rows.where("sequence", "<", query.before);
  const found = await rows
    .orderBy("sequence", "desc")
    .limit(query.limit + 1)
    .execute();
  const page = found.slice(0, query.limit);
  const next = found.length > query.limit ? page.at(-1)?.sequence : undefined;
  return { deliveries: page.map(deliveryFromRow), next };
}

async function auditSlice(
  db: Queries,
  log: AuditLogKey,
  { action, from, before, limit }: AuditQuery,
): Promise<LogSlice<AuditRecord>> {
  let entries = db.selectFrom("audit_entries");
  if (typeof log !== "object") entries = entries.where(typeof log === "number" ? "account" : "person", "=", log);
  if (before !== undefined) entries = entries.where("id", "<", before);
  const ends = entries.select(["id", "at"]).orderBy("id", "desc").offset(SCANNED_ENTRIES_MAX);
  const last = await ends.limit(1).executeTakeFirst();
  if (last) entries = entries.where("id", ">=", last.id);
  if (from !== undefined) entries = entries.where("at", ">=", from);
  if (action !== undefined) entries = entries.where(isAbout(action));
  const rows = await entries
    .selectAll()
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const found = rows.slice(0, limit).map(recordFromRow);
  // Ids are in the order of time, so nothing from `from` on is older than an entry before it.
  const isOver = last === undefined || last.at < (from ?? 0);
  return { found, next: rows.length > limit ? found.at(-1)?.id : isOver ? undefined : last.id };
}

/**
 * True for the action, and for those that begin with it. Not compared as a range: where text is ordered by a language's rules,
 * "token/" may come before texts that begin with "token.".
 */
function isAbout(action: string): RawBuilder<boolean> {
  const part = `${action}.`;
  return sql<boolean>`(action = ${action} OR substr(action, 1, ${sql.lit(part.length)}) = ${part})`;
}

function usageReads(db: Queries): UsageReads {
  return {
    async readLatencies(account, query) {
      const rows = await counted(db.selectFrom("latencies"), account, query)
        .select((row) => ["start", "bucket", row.fn.sum<number>("count").as("count")])
        .groupBy(["start", "bucket"])
        .orderBy("start")
        .execute();
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },

    read(account, query) {
      const rows = counted(db.selectFrom("usage_counts"), account, query);
      return rows.select(["start", "outcome", "count"]).orderBy("start").execute();
    },
  };
}

/** The rows of a token, or of the whole account. */
function counted<Table extends "latencies" | "usage_counts">(
  rows: SelectQueryBuilder<Schema, Table, object>,
  account: AccountNumber,
  { span, from, token = ALL_TOKENS }: UsageQuery,
) {
  return rows.where(sql<boolean>`account = ${account} AND token = ${token} AND span = ${span} AND start >= ${from}`);
}
