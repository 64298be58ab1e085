import { sql } from "kysely";
import type { EventType } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AttemptSpan } from "#core/trace.ts";
import { DELIVERIES_KEPT_MAX, type Delivery, type WebhookEndpoint } from "#core/webhook.ts";
import type { Queries, Statement } from "./database-access.ts";

const ROWS_AT_ONCE = 100;

/** An event that waits for another attempt, which is the same only as long as all three members are. */
export interface Retry {
  readonly number: bigint;
  readonly attempts: number;
  readonly nextAt: number;
}

export interface Replay {
  readonly id: string;
  readonly position: bigint;
  readonly until: bigint;
  readonly types: ReadonlySet<EventType> | undefined;
}

/** The log entry of an attempt; `sequence` counts the attempts of an endpoint. Its last members are not stored. */
export type LogEntry = Omit<Delivery, "id"> & {
  readonly sequence: number;
  /** True unless it is the first attempt at its event, in the course of the feed. */
  readonly isRetry: boolean;
  readonly span: AttemptSpan | undefined;
};

/** The state of an endpoint by its last attempts. */
export interface EndpointHealth extends Pick<WebhookEndpoint, "status" | "reason" | "failingSince"> {
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Nothing is sent before this time. */
  readonly notBefore: number;
}

/** The outcomes of one endpoint since its holder last stored them. */
export interface EndpointProgress extends EndpointHealth {
  readonly endpoint: string;
  readonly revision: number;
  readonly position: bigint;
  readonly log: readonly LogEntry[];
  /** Retries whose attempt has ended, as they were read: those that a replay has named since are left as they are. */
  readonly attempted: readonly Retry[];
  /** Events that wait for another attempt after a failed one, unless a replay has named them since. */
  readonly retries: readonly Retry[];
  /** Events that are to be sent again, whatever became of them before. */
  readonly replayed: readonly Retry[];
  /** Replays with their new positions; those at their end are finished. */
  readonly replays: readonly Pick<Replay, "id" | "position" | "until">[];
  /** Set while it is not stored that the endpoint is disabled because it fails. */
  readonly disabled: { readonly account: AccountNumber; readonly url: string } | undefined;
}

type LogOutcomes = Pick<EndpointProgress, "endpoint" | "log">;

/** Statements that store the outcomes of an endpoint's attempts, and how far its replays were read. */
export function retryStatements(db: Queries, progress: EndpointProgress): Statement[] {
  const { endpoint, attempted, retries, replayed, replays } = progress;
  const forget = inSlices(attempted).map((some) => {
    const rows = some.map(
      ({ number, attempts, nextAt }) => sql`(${int64(number)}, ${int64(attempts)}, ${int64(nextAt)})`,
    );
    const isUnchanged = sql<boolean>`(number, attempts, next_at) IN (VALUES ${sql.join(rows)})`;
    return db.deleteFrom("webhook_retries").where("endpoint", "=", endpoint).where(isUnchanged);
  });
  const keep = inSlices(retries).map((some) =>
    insertRetries(db, endpoint, some).onConflict((conflict) => conflict.columns(["endpoint", "number"]).doNothing()),
  );
  const again = inSlices(replayed).map((some) => replayStatement(db, endpoint, some));
  const move = replays.map(({ id, position, until }) =>
    position >= until
      ? db.deleteFrom("webhook_replays").where("id", "=", id)
      : db.updateTable("webhook_replays").set({ position }).where("id", "=", id),
  );
  return [...forget, ...keep, ...again, ...move];
}

/**
 * Makes events due now. The time of one that waits already becomes another one, so that whoever has read it before finds
 * it changed.
 */
export function replayStatement(db: Queries, endpoint: string, events: readonly Retry[]): Statement {
  const dueNow = sql<number>`CASE WHEN webhook_retries.next_at > excluded.next_at
    THEN excluded.next_at ELSE webhook_retries.next_at - 1 END`;
  return insertRetries(db, endpoint, events).onConflict((conflict) =>
    conflict
      .columns(["endpoint", "number"])
      .doUpdateSet((row) => ({ attempts: row.ref("excluded.attempts"), next_at: dueNow })),
  );
}

function insertRetries(db: Queries, endpoint: string, retries: readonly Retry[]) {
  const rows = retries.map(({ number, attempts, nextAt }) => ({ endpoint, number, attempts, next_at: nextAt }));
  return db.insertInto("webhook_retries").values(rows);
}

const int64 = (value: bigint | number) => sql`CAST(${value} AS bigint)`;

/** The log is a ring: a new entry replaces the one that is 1,000 older. */
export function logStatements(db: Queries, { endpoint, log }: LogOutcomes): Statement[] {
  const waiting = db.updateTable("webhook_attempts").where("endpoint", "=", endpoint).where("status", "=", "waiting");
  const ended = waiting.set({ status: "failed", next_at: null });
  const retried = log.filter(({ isRetry }) => isRetry).map(({ event }) => event);
  const rows = withRepeatedOver(log.slice(-DELIVERIES_KEPT_MAX)).map((entry) => logRow(endpoint, entry));
  const columns = Object.keys(rows[0] ?? {}) as (keyof ReturnType<typeof logRow>)[];
  const add = inSlices(rows).map((some) =>
    db
      .insertInto("webhook_attempts")
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(["endpoint", "slot"])
          .doUpdateSet((row) => Object.fromEntries(columns.map((name) => [name, row.ref(`excluded.${name}`)]))),
      ),
  );
  return [...inSlices(retried).map((some) => ended.where("event", "in", some)), ...add];
}

/** Of several attempts at an event that are stored together, only the last may still be waiting for another. */
function withRepeatedOver(log: readonly LogEntry[]): LogEntry[] {
  const last = new Map(log.map((entry) => [entry.event, entry]));
  return log.map((entry) => (last.get(entry.event) === entry ? entry : withoutNext(entry)));
}

/** The entry of an attempt after which no other is waited for. */
function withoutNext(entry: LogEntry): LogEntry {
  return entry.status === "waiting" ? { ...entry, status: "failed", nextAt: undefined } : entry;
}

/** The log after delivery was begun anew: its attempts were made, and none of them waits. */
export function withoutWaiting({ endpoint, log }: LogOutcomes): LogOutcomes {
  return { endpoint, log: log.map(withoutNext) };
}

function logRow(endpoint: string, entry: LogEntry) {
  const { sequence, event, type, attempt, status, httpStatus, error, ms, at, nextAt, excerpt } = entry;
  const same = { endpoint, sequence, event, type, attempt, status, at };
  return {
    ...same,
    slot: sequence % DELIVERIES_KEPT_MAX,
    http_status: httpStatus ?? null,
    error: error ?? null,
    ms: Math.round(ms),
    next_at: nextAt === undefined ? null : Math.round(nextAt),
    excerpt: excerpt ?? null,
  };
}

function inSlices<T>(items: readonly T[]): T[][] {
  const slices: T[][] = [];
  for (let at = 0; at < items.length; at += ROWS_AT_ONCE) slices.push(items.slice(at, at + ROWS_AT_ONCE));
  return slices;
}
