import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { EventType } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AttemptSpan } from "#core/trace.ts";
import {
  DELIVERIES_KEPT_MAX,
  DELIVERIES_KEPT_MS,
  type Delivery,
  type WebhookEndpoint,
  type WebhookStatus,
} from "#core/webhook.ts";
import type { AuditLog } from "./audit.ts";
import { DATABASE_NOW } from "./database-now.ts";
import type { Engine } from "./engine.ts";
import type { Queries } from "./queries.ts";
import type { Storage } from "./storage.ts";
import {
  type EndpointChange,
  endpointColumns,
  endpointFromRow,
  positionText,
  typesFromText,
} from "./webhook-endpoints.ts";

/** An endpoint as its holder knows it. */
export interface HeldEndpoint extends WebhookEndpoint {
  readonly revision: number;
  /** Failed attempts since the last success. */
  readonly failures: number;
  readonly sealedSecrets: readonly { readonly sealed: string; readonly expiresAt: number | undefined }[];
}

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

/** The log's entry of an attempt; `sequence` grows by one with each of an endpoint. The span is not kept. */
export type LogEntry = Omit<Delivery, "id"> & { readonly sequence: number; readonly span: AttemptSpan | undefined };

/** The outcomes of one endpoint since its holder last wrote them. */
export interface EndpointProgress {
  readonly endpoint: string;
  readonly revision: number;
  readonly position: bigint;
  readonly status: WebhookEndpoint["status"];
  readonly reason: EndpointChange["reason"];
  readonly failingSince: number | undefined;
  readonly failures: number;
  readonly log: readonly LogEntry[];
  readonly retries: readonly Retry[];
  /** Retries that are over. */
  readonly over: readonly bigint[];
  /** Replays with their new positions; those at their end are over. */
  readonly replays: readonly Pick<Replay, "id" | "position" | "until">[];
  /** Set once, when the endpoint was disabled for failing. */
  readonly disabled: { readonly account: AccountNumber; readonly url: string } | undefined;
}

export interface LeaseOptions {
  readonly node: string;
  readonly durationMs: number;
  /** Tells of nodes that have certainly ended, whose leases need not be waited for. */
  readonly isDead?: (node: string) => boolean;
}

const ACTIVE = ["enabled", "paused"];
const ROWS_AT_ONCE = 100;

/** The leases of endpoints over nodes, and the progress of their delivery. */
export class WebhookWork {
  readonly #db: Queries;
  readonly #audit: AuditLog;
  readonly #engine: Engine;
  readonly #now: RawBuilder<number>;

  constructor({ db, audit, engine }: Pick<Storage, "db" | "audit" | "engine">) {
    this.#db = db;
    this.#audit = audit;
    this.#engine = engine;
    this.#now = DATABASE_NOW[engine];
  }

  /** How many endpoints of all accounts there are in each state. */
  async countByStatus(): Promise<Record<WebhookStatus, number>> {
    const query = this.#db.selectFrom("webhook_endpoints").select((row) => row.fn.countAll<string>().as("count"));
    const rows = await query.select("status").groupBy("status").execute();
    const counts = Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
    return { enabled: 0, paused: 0, disabled: 0, ...counts };
  }

  /** Over all endpoints. */
  async countRetriesWaiting(): Promise<number> {
    const query = this.#db.selectFrom("webhook_retries").select((row) => row.fn.countAll<string>().as("count"));
    return Number((await query.executeTakeFirst())?.count ?? 0);
  }

  /** Takes free endpoints, renews the leases of held ones, and releases those beyond the node's share. */
  async renew({ node, durationMs, isDead }: LeaseOptions): Promise<void> {
    if (isDead) await this.#releaseDead(isDead);
    const until = sql<number>`${this.#now} + ${sql.lit(Math.round(durationMs))}`;
    await this.#announce(node, until);
    await this.#held(node).set({ held_until: until }).execute();
    const share = await this.#share();
    const held = await this.#idsOf(node);
    if (held.length > share) await this.release(node, held.slice(share));
    if (held.length < share) await this.#take(node, until, share - held.length);
  }

  async release(node: string, ids?: readonly string[]): Promise<void> {
    const release = this.#held(node).set({ holder: null, held_until: 0 });
    await (ids ? release.where("id", "in", [...ids]) : release).execute();
    if (!ids) await this.#db.deleteFrom("webhook_nodes").where("node", "=", node).execute();
  }

  async revisions(node: string): Promise<Map<string, number>> {
    const query = this.#db.selectFrom("webhook_endpoints").select(["id", "revision"]).where("holder", "=", node);
    const rows = await query.where("status", "in", ACTIVE).execute();
    return new Map(rows.map(({ id, revision }) => [id, Number(revision)]));
  }

  async load(ids: readonly string[]): Promise<HeldEndpoint[]> {
    if (ids.length === 0) return [];
    const query = this.#db.selectFrom("webhook_endpoints").select(endpointColumns);
    const rows = await query.where("id", "in", [...ids]).execute();
    const secrets = await this.#db
      .selectFrom("webhook_secrets")
      .selectAll()
      .where("endpoint", "in", [...ids])
      .execute();
    return rows.map((row) => ({
      ...endpointFromRow(row, secrets),
      revision: Number(row.revision),
      failures: Number(row.failures),
      sealedSecrets: secrets
        .filter(({ endpoint }) => endpoint === row.id)
        .sort((a, b) => Number(b.created_at) - Number(a.created_at))
        .map(({ sealed, expires_at }) => ({ sealed, expiresAt: expires_at === null ? undefined : Number(expires_at) })),
    }));
  }

  async lastSequence(endpoint: string): Promise<number> {
    const query = this.#db.selectFrom("webhook_attempts").select((row) => row.fn.max("sequence").as("last"));
    return Number((await query.where("endpoint", "=", endpoint).executeTakeFirst())?.last ?? 0);
  }

  async countRetries(endpoint: string): Promise<number> {
    const query = this.#db.selectFrom("webhook_retries").select((row) => row.fn.countAll<string>().as("count"));
    return Number((await query.where("endpoint", "=", endpoint).executeTakeFirst())?.count ?? 0);
  }

  /** The next due first; `byNumber`: the oldest event first, due or not. */
  async retries(endpoint: string, limit: number, byNumber = false): Promise<Retry[]> {
    const query = this.#db
      .selectFrom("webhook_retries")
      .select([sql<string>`CAST(number AS text)`.as("number_text"), "attempts", "next_at"])
      .where("endpoint", "=", endpoint);
    const rows = await query
      .orderBy(byNumber ? "number" : "next_at")
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      number: BigInt(row.number_text),
      attempts: Number(row.attempts),
      nextAt: Number(row.next_at),
    }));
  }

  async replays(endpoint: string): Promise<Replay[]> {
    const query = this.#db
      .selectFrom("webhook_replays")
      .select(["id", "types", sql<string>`CAST(until AS text)`.as("until_text"), positionText])
      .where("endpoint", "=", endpoint);
    const rows = await query.orderBy("created_at").execute();
    return rows.map(({ id, types, until_text, position_text }) => ({
      id,
      position: BigInt(position_text),
      until: BigInt(until_text),
      types: typesFromText(types),
    }));
  }

  /**
   * Keeps what a node did, as one unit. Gives the endpoints that were changed meanwhile, or that it no longer holds: their
   * state is as it was. A position never moves back.
   */
  async settle(node: string, progress: readonly EndpointProgress[]): Promise<string[]> {
    const statements: CompiledQuery[] = [];
    const positions = new Map<number, string>();
    for (const each of progress) {
      positions.set(statements.length, each.endpoint);
      statements.push(
        this.#keepState(node, each),
        this.#advance(node, each),
        ...this.#retryStatements(each),
        ...this.#logStatements(each),
      );
    }
    const lost: string[] = [];
    await this.#audit.keep(statements, progress.flatMap(disabledEntry), (index, rows) => {
      const endpoint = positions.get(index);
      if (endpoint !== undefined && rows === 0) lost.push(endpoint);
    });
    return lost;
  }

  /** Removes log entries that are too old, and whatever an endpoint left that is no longer there. */
  async tidy(now: number): Promise<void> {
    await this.#db
      .deleteFrom("webhook_attempts")
      .where("at", "<", now - DELIVERIES_KEPT_MS)
      .execute();
    await this.#db.deleteFrom("webhook_secrets").where("expires_at", "<", now).execute();
    const known = this.#db.selectFrom("webhook_endpoints").select("id");
    for (const table of ["webhook_attempts", "webhook_retries", "webhook_replays"] as const) {
      await this.#db.deleteFrom(table).where("endpoint", "not in", known).execute();
    }
  }

  #keepState(node: string, progress: EndpointProgress): CompiledQuery {
    const { endpoint, revision, status, reason, failingSince, failures } = progress;
    const set = { status, reason: reason ?? null, failing_since: failingSince ?? null, failures };
    return this.#held(node).set(set).where("id", "=", endpoint).where("revision", "=", revision).compile();
  }

  #advance(node: string, { endpoint, position }: EndpointProgress): CompiledQuery {
    const isAhead = sql<boolean>`position < ${position}`;
    return this.#held(node).set({ position }).where("id", "=", endpoint).where(isAhead).compile();
  }

  #retryStatements({ endpoint, retries, over, replays }: EndpointProgress): CompiledQuery[] {
    const statements: CompiledQuery[] = [];
    for (const some of inSlices(over)) {
      const query = this.#db.deleteFrom("webhook_retries").where("endpoint", "=", endpoint);
      statements.push(
        query
          .where(
            "number",
            "in",
            some.map((number) => sql<string>`${number}`),
          )
          .compile(),
      );
    }
    for (const some of inSlices(retries)) {
      const rows = some.map(({ number, attempts, nextAt }) => ({ endpoint, number, attempts, next_at: nextAt }));
      const insert = this.#db.insertInto("webhook_retries").values(rows);
      statements.push(
        insert
          .onConflict((conflict) =>
            conflict.columns(["endpoint", "number"]).doUpdateSet((row) => ({
              attempts: row.ref("excluded.attempts"),
              next_at: row.ref("excluded.next_at"),
            })),
          )
          .compile(),
      );
    }
    for (const { id, position, until } of replays) {
      const isOver = position >= until;
      const query = isOver
        ? this.#db.deleteFrom("webhook_replays").where("id", "=", id)
        : this.#db.updateTable("webhook_replays").set({ position }).where("id", "=", id);
      statements.push(query.compile());
    }
    return statements;
  }

  /** The log is a ring: a new entry takes the row of the one that is 1,000 older. */
  #logStatements({ endpoint, log }: EndpointProgress): CompiledQuery[] {
    const statements: CompiledQuery[] = [];
    const retried = log.filter(({ attempt }) => attempt > 1).map(({ event }) => event);
    for (const some of inSlices(retried)) {
      const update = this.#db.updateTable("webhook_attempts").set({ status: "failed", next_at: null });
      statements.push(
        update.where("endpoint", "=", endpoint).where("status", "=", "waiting").where("event", "in", some).compile(),
      );
    }
    for (const some of inSlices(withRepeatedOver(log.slice(-DELIVERIES_KEPT_MAX)))) {
      const insert = this.#db.insertInto("webhook_attempts").values(some.map((entry) => logRow(endpoint, entry)));
      statements.push(
        insert
          .onConflict((conflict) =>
            conflict
              .columns(["endpoint", "slot"])
              .doUpdateSet((row) =>
                Object.fromEntries(LOG_COLUMNS.map((column) => [column, row.ref(`excluded.${column}`)])),
              ),
          )
          .compile(),
      );
    }
    return statements;
  }

  async #releaseDead(isDead: (node: string) => boolean): Promise<void> {
    const nodes = await this.#db.selectFrom("webhook_nodes").select("node").execute();
    for (const { node } of nodes) if (isDead(node)) await this.release(node);
  }

  #held(node: string) {
    return this.#db.updateTable("webhook_endpoints").where("holder", "=", node);
  }

  async #announce(node: string, until: RawBuilder<number>): Promise<void> {
    const insert = this.#db.insertInto("webhook_nodes").values({ node, alive_until: until });
    await insert
      .onConflict((conflict) =>
        conflict.column("node").doUpdateSet((row) => ({ alive_until: row.ref("excluded.alive_until") })),
      )
      .execute();
    await this.#db.deleteFrom("webhook_nodes").where("alive_until", "<=", this.#now).execute();
  }

  async #share(): Promise<number> {
    const nodes = this.#db.selectFrom("webhook_nodes").select((row) => row.fn.countAll<string>().as("count"));
    const alive = Number((await nodes.where("alive_until", ">", this.#now).executeTakeFirst())?.count ?? 1);
    const { enabled, paused } = await this.countByStatus();
    return Math.ceil((enabled + paused) / Math.max(1, alive));
  }

  async #idsOf(node: string): Promise<string[]> {
    return [...(await this.revisions(node)).keys()].sort();
  }

  async #take(node: string, until: RawBuilder<number>, count: number): Promise<void> {
    const free = this.#db
      .selectFrom("webhook_endpoints")
      .select("id")
      .where("status", "in", ACTIVE)
      .where((row) => row.or([row("holder", "is", null), row("held_until", "<=", this.#now)]))
      .orderBy("id")
      .limit(count);
    const chosen = this.#engine === "postgres" ? free.forUpdate().skipLocked() : free;
    const take = this.#db.updateTable("webhook_endpoints").set({ holder: node, held_until: until });
    await take.where("id", "in", chosen).execute();
  }
}

const LOG_COLUMNS = [
  "sequence",
  "event",
  "type",
  "attempt",
  "status",
  "http_status",
  "error",
  "ms",
  "at",
  "next_at",
  "excerpt",
] as const;

/** Of the attempts at an event that are written down together, only the last may still wait for another. */
function withRepeatedOver(log: readonly LogEntry[]): LogEntry[] {
  const last = new Map(log.map(({ event, attempt }) => [event, attempt]));
  return log.map((entry) =>
    entry.status === "waiting" && entry.attempt < (last.get(entry.event) ?? 0)
      ? { ...entry, status: "failed", nextAt: undefined }
      : entry,
  );
}

function logRow(endpoint: string, entry: LogEntry) {
  const { sequence, event, type, attempt, status, httpStatus, error, ms, at, nextAt, excerpt } = entry;
  return {
    endpoint,
    slot: sequence % DELIVERIES_KEPT_MAX,
    sequence,
    event,
    type,
    attempt,
    status,
    http_status: httpStatus ?? null,
    error: error ?? null,
    ms: Math.round(ms),
    at,
    next_at: nextAt === undefined ? null : Math.round(nextAt),
    excerpt: excerpt ?? null,
  };
}

/** The holder of the account is told of it by mail too. */
function disabledEntry({ endpoint, reason, disabled }: EndpointProgress): AuditEntry[] {
  if (!disabled) return [];
  const { account, url } = disabled;
  const actor = { kind: "system", id: "", name: "webhooks" } as const;
  return [{ actor, account, action: "webhook.disabled", target: endpoint, detail: { url, reason: reason ?? "" } }];
}

function inSlices<T>(items: readonly T[]): T[][] {
  const slices: T[][] = [];
  for (let at = 0; at < items.length; at += ROWS_AT_ONCE) slices.push(items.slice(at, at + ROWS_AT_ONCE));
  return slices;
}
