import { type RawBuilder, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import { DELIVERIES_KEPT_MS, type WebhookEndpoint, type WebhookStatus } from "#core/webhook.ts";
import type { AuditedAccess } from "./audit.ts";
import type { Statement, Step } from "./database-access.ts";
import { DATABASE_NOW, isOver } from "./engine.ts";
import {
  type EndpointHealth,
  type EndpointProgress,
  logStatements,
  outdatedProgress,
  type Replay,
  type Retry,
  retryStatements,
} from "./webhook-progress.ts";
import { positionText, readEndpoints, typesFromText } from "./webhook-row.ts";

/** An endpoint as known to the node that holds its lease. */
export interface StoredEndpoint extends WebhookEndpoint, EndpointHealth {
  readonly revision: number;
  /** The revision with which delivery was last begun anew. */
  readonly restartRevision: number;
  readonly sealedSecrets: readonly { readonly sealed: string; readonly expiresAt: number | undefined }[];
}

export interface LeaseOptions {
  readonly node: string;
  readonly durationMs: number;
  /** Reports nodes that have certainly ended, so that their leases need not be waited for. */
  readonly isDead?: (node: string) => boolean;
}

const COUNT = sql<number>`count(*)`.as("count");
const ACTIVE: readonly WebhookStatus[] = ["enabled", "paused"];

/** The leases of endpoints over nodes, and the progress of their delivery. */
export class WebhookWork {
  constructor(private readonly storage: AuditedAccess) {}

  /** The number of endpoints in each state, over all accounts. */
  async countByStatus(): Promise<Record<WebhookStatus, number>> {
    const query = this.storage.db.selectFrom("webhook_endpoints").select(["status", COUNT]);
    const rows = await query.groupBy("status").execute();
    const counts = Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    return { enabled: 0, paused: 0, disabled: 0, ...counts };
  }

  /** Counted over all endpoints. */
  async countRetriesWaiting(): Promise<number> {
    return (await this.storage.db.selectFrom("webhook_retries").select(COUNT).executeTakeFirst())?.count ?? 0;
  }

  /** Takes free endpoints, renews the leases of held ones, and releases those beyond the node's share. */
  async renew({ node, durationMs, isDead }: LeaseOptions): Promise<void> {
    if (isDead) await this.#releaseDead(isDead);
    const until = sql<number>`${this.#now} + ${sql.lit(Math.round(durationMs))}`;
    await this.#announce(node, until, durationMs);
    await this.#held(node).set({ held_until: until }).execute();
    const share = await this.#share();
    const held = [...(await this.revisions(node)).keys()].sort();
    if (held.length > share) await this.release(node, held.slice(share));
    if (held.length < share) await this.#take(node, until, durationMs, share - held.length);
  }

  async release(node: string, ids?: readonly string[]): Promise<void> {
    const release = this.#held(node).set({ holder: null, held_until: 0 });
    await (ids ? release.where("id", "in", [...ids]) : release).execute();
    if (!ids) await this.storage.db.deleteFrom("webhook_nodes").where("node", "=", node).execute();
  }

  async revisions(node: string): Promise<Map<string, number>> {
    const query = this.storage.db.selectFrom("webhook_endpoints").select(["id", "revision"]).where("holder", "=", node);
    const rows = await query.where("status", "in", ACTIVE).execute();
    return new Map(rows.map(({ id, revision }) => [id, revision]));
  }

  async load(ids: readonly string[]): Promise<StoredEndpoint[]> {
    if (ids.length === 0) return [];
    const found = await readEndpoints(this.storage.db, (is) => is("id", "in", [...ids]));
    return found.map(({ endpoint, row, secrets }) => ({
      ...endpoint,
      revision: row.revision,
      restartRevision: row.restart_revision,
      failures: row.failures,
      notBefore: row.not_before,
      sealedSecrets: secrets.map(({ sealed, expires_at }) => ({ sealed, expiresAt: expires_at ?? undefined })),
    }));
  }

  async lastSequence(endpoint: string): Promise<number> {
    const query = this.storage.db.selectFrom("webhook_attempts").select((row) => row.fn.max("sequence").as("last"));
    return (await query.where("endpoint", "=", endpoint).executeTakeFirst())?.last ?? 0;
  }

  async countRetries(endpoint: string): Promise<number> {
    const query = this.storage.db.selectFrom("webhook_retries").select(COUNT).where("endpoint", "=", endpoint);
    return (await query.executeTakeFirst())?.count ?? 0;
  }

  /** The next due first; with `byNumber` the oldest event first, due or not. */
  async retries(endpoint: string, limit: number, byNumber = false): Promise<Retry[]> {
    const query = this.storage.db
      .selectFrom("webhook_retries")
      .select([sql<string>`CAST(number AS text)`.as("number_text"), "attempts", "next_at as nextAt"])
      .where("endpoint", "=", endpoint);
    const rows = await query
      .orderBy(byNumber ? "number" : "next_at")
      .limit(limit)
      .execute();
    return rows.map(({ number_text, ...retry }) => ({ ...retry, number: BigInt(number_text) }));
  }

  async replays(endpoint: string): Promise<Replay[]> {
    const query = this.storage.db
      .selectFrom("webhook_replays")
      .select(["id", "types", sql<string>`CAST(until AS text)`.as("until_text"), positionText])
      .where("endpoint", "=", endpoint);
    const rows = await query.orderBy("created_at").execute();
    return rows.map(({ id, types, until_text, position_text }) => {
      return { id, position: BigInt(position_text), until: BigInt(until_text), types: typesFromText(types) };
    });
  }

  /**
   * Stores outcomes as one unit. Resolves with the endpoints that were changed in the meantime, whose state is not
   * touched. Of an endpoint with which delivery was begun anew, here or by another node, only the log is stored. A
   * position never moves back.
   */
  async settle(progress: readonly EndpointProgress[], outdated: ReadonlySet<string> = new Set()): Promise<string[]> {
    try {
      return await this.#settle(progress, outdated);
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      const { endpoint, rest } = error;
      const others = rest === outdatedProgress ? new Set([...outdated, endpoint]) : outdated;
      return this.settle(
        progress.map((each) => (each.endpoint === endpoint ? rest(each) : each)),
        others,
      );
    }
  }

  async #settle(progress: readonly EndpointProgress[], outdated: ReadonlySet<string>): Promise<string[]> {
    const changed = new Set(outdated);
    const steps = progress.flatMap((each) => [
      ...(outdated.has(each.endpoint) ? [] : this.#state(each, changed)),
      ...logStatements(this.storage.db, each),
    ]);
    await this.storage.audit.runAudited(steps, progress.flatMap(disabledEntry));
    return [...changed];
  }

  /** The steps that store all but the log. They note the endpoint if it was changed. */
  #state(progress: EndpointProgress, changed: Set<string>): Step[] {
    const { endpoint } = progress;
    const unchanged = () => {
      throw new Outdated(endpoint, outdatedProgress);
    };
    const stateUnchanged = () => {
      // The audit log must not say that it was disabled.
      if (progress.disabled) throw new Outdated(endpoint, withoutDisabling);
      changed.add(endpoint);
    };
    return [
      { statement: this.#advance(progress), unchanged },
      { statement: this.#keepState(progress), unchanged: stateUnchanged },
      ...retryStatements(this.storage.db, progress),
    ];
  }

  /** Removes log entries that are too old, and the remains of endpoints that no longer exist. */
  async tidy(now: number): Promise<void> {
    const { db } = this.storage;
    const oldest = now - DELIVERIES_KEPT_MS;
    await db.deleteFrom("webhook_attempts").where("at", "<", oldest).execute();
    await db.deleteFrom("webhook_secrets").where("expires_at", "<", now).execute();
    const known = db.selectFrom("webhook_endpoints").select("id");
    for (const table of ["webhook_attempts", "webhook_retries", "webhook_replays"] as const) {
      await db.deleteFrom(table).where("endpoint", "not in", known).execute();
    }
  }

  #keepState(progress: EndpointProgress): Statement {
    const { endpoint, revision, status, reason, failingSince, failures, notBefore } = progress;
    const times = { failing_since: failingSince ?? null, not_before: notBefore };
    const state = { status, reason: reason ?? null, failures, ...times };
    return this.#endpoint(endpoint).set(state).where("revision", "=", revision);
  }

  #advance({ endpoint, revision, position }: EndpointProgress): Statement {
    const further = sql<bigint>`CASE WHEN position < ${position} THEN ${position} ELSE position END`;
    return this.#endpoint(endpoint).set({ position: further }).where("restart_revision", "<=", revision);
  }

  #endpoint(id: string) {
    return this.storage.db.updateTable("webhook_endpoints").where("id", "=", id);
  }

  async #releaseDead(isDead: (node: string) => boolean): Promise<void> {
    const nodes = await this.storage.db.selectFrom("webhook_nodes").select("node").execute();
    for (const { node } of nodes) if (isDead(node)) await this.release(node);
  }

  get #now(): RawBuilder<number> {
    return DATABASE_NOW[this.storage.engine];
  }

  #held(node: string) {
    return this.storage.db.updateTable("webhook_endpoints").where("holder", "=", node);
  }

  async #announce(node: string, until: RawBuilder<number>, durationMs: number): Promise<void> {
    const insert = this.storage.db.insertInto("webhook_nodes").values({ node, alive_until: until });
    await insert
      .onConflict((conflict) =>
        conflict.column("node").doUpdateSet((row) => ({ alive_until: row.ref("excluded.alive_until") })),
      )
      .execute();
    await this.storage.db
      .deleteFrom("webhook_nodes")
      .where(isOver("alive_until", this.#now, durationMs))
      .execute();
  }

  async #share(): Promise<number> {
    const alive = (await this.storage.db.selectFrom("webhook_nodes").select(COUNT).executeTakeFirst())?.count ?? 1;
    const { enabled, paused } = await this.countByStatus();
    return Math.ceil((enabled + paused) / Math.max(1, alive));
  }

  async #take(node: string, until: RawBuilder<number>, durationMs: number, count: number): Promise<void> {
    const free = this.storage.db
      .selectFrom("webhook_endpoints")
      .select("id")
      .where("status", "in", ACTIVE)
      .where((row) => row.or([row("holder", "is", null), isOver("held_until", this.#now, durationMs)]))
      .orderBy("id")
      .limit(count);
    const chosen = this.storage.engine === "postgres" ? free.forUpdate().skipLocked() : free;
    // Outcomes that a former holder still has are outdated from here on.
    const next = sql<number>`revision + 1`;
    const values = { holder: node, held_until: until, revision: next, restart_revision: next };
    const take = this.storage.db.updateTable("webhook_endpoints").set(values);
    await take.where("id", "in", chosen).execute();
  }
}

/** The endpoint was changed in the meantime, so that only the rest of its progress can be stored. */
class Outdated extends Error {
  constructor(
    readonly endpoint: string,
    readonly rest: (progress: EndpointProgress) => EndpointProgress,
  ) {
    super(`${endpoint} was changed`);
  }
}

function withoutDisabling(progress: EndpointProgress): EndpointProgress {
  return { ...progress, disabled: undefined };
}

/** The holder of the account is also notified by mail. */
function disabledEntry({ endpoint, reason, disabled }: EndpointProgress): AuditEntry[] {
  if (!disabled) return [];
  const { account, url } = disabled;
  const actor = { kind: "system", id: "", name: "webhooks" } as const;
  return [{ actor, account, action: "webhook.disabled", target: endpoint, detail: { url, reason: reason ?? "" } }];
}
