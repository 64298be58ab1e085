import { sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import { DELIVERIES_KEPT_MS } from "#core/webhook.ts";
import type { AuditedAccess } from "./audit.ts";
import type { Statement, Step } from "./database-access.ts";
import {
  type EndpointProgress,
  logStatements,
  type Replay,
  type Retry,
  retryStatements,
  withoutWaiting,
} from "./webhook-outcomes.ts";
import { positionText, typesFromText } from "./webhook-row.ts";

const COUNT = sql<number>`count(*)`.as("count");

/** The events of an endpoint that wait for another attempt, and the replays that are not read to their end. */
export interface WaitingEvents {
  readonly count: number;
  /** Some of the events. */
  readonly retries: readonly Retry[];
  /** The oldest first. */
  readonly replays: readonly Replay[];
}

/**
 * How an endpoint's progress is stored: whole; without its state, if it was changed and would be disabled; or its log alone,
 * if delivery was begun anew since, here or by another node.
 */
type Kind = "kept" | "not disabled" | "outdated";

/** How far deliveries are. */
export class WebhookProgress {
  constructor(private readonly storage: AuditedAccess) {}

  /** Counted over all endpoints. */
  async countRetriesWaiting(): Promise<number> {
    return (await this.storage.db.selectFrom("webhook_retries").select(COUNT).executeTakeFirst())?.count ?? 0;
  }

  async lastSequence(endpoint: string): Promise<number> {
    const query = this.storage.db.selectFrom("webhook_attempts").select((row) => row.fn.max("sequence").as("last"));
    return (await query.where("endpoint", "=", endpoint).executeTakeFirst())?.last ?? 0;
  }

  /** Waiting events, the next due first; with `byNumber` the oldest first, due or not. */
  async waiting(endpoint: string, limit: number, byNumber = false): Promise<WaitingEvents> {
    const rows = this.storage.db.selectFrom("webhook_retries").where("endpoint", "=", endpoint);
    const counted = await rows.select(COUNT).executeTakeFirst();
    const found = await rows
      .select([sql<string>`CAST(number AS text)`.as("number_text"), "attempts", "next_at as nextAt"])
      .orderBy(byNumber ? "number" : "next_at")
      .limit(limit)
      .execute();
    const retries = found.map(({ number_text, ...retry }) => ({ ...retry, number: BigInt(number_text) }));
    return { count: counted?.count ?? 0, retries, replays: await this.#replays(endpoint) };
  }

  async #replays(endpoint: string): Promise<Replay[]> {
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
   * touched. A position never moves back.
   */
  async settle(progress: readonly EndpointProgress[]): Promise<string[]> {
    const kinds = new Map<string, Kind>();
    for (;;) {
      const stored = await this.#store(progress, kinds);
      if (stored.kind === "kept") return stored.changed;
      kinds.set(stored.endpoint, stored.kind);
    }
  }

  async #store(
    progress: readonly EndpointProgress[],
    kinds: ReadonlyMap<string, Kind>,
  ): Promise<{ kind: "kept"; changed: string[] } | { kind: Exclude<Kind, "kept">; endpoint: string }> {
    const kindOf = ({ endpoint }: EndpointProgress) => kinds.get(endpoint) ?? "kept";
    const changed = new Set<string>();
    const steps = progress.flatMap((each) => this.#steps(each, kindOf(each), () => changed.add(each.endpoint)));
    const disabled = progress.filter((each) => each.disabled && kindOf(each) === "kept");
    try {
      await this.storage.audit.runAudited(steps, disabled.flatMap(disabledEntry));
      return {
        kind: "kept",
        changed: [...changed, ...[...kinds].flatMap(([id, kind]) => (kind === "outdated" ? id : []))],
      };
    } catch (error) {
      if (error instanceof NotKept) return error;
      throw error;
    }
  }

  #steps(progress: EndpointProgress, kind: Kind, onChanged: () => void): Step[] {
    const { db } = this.storage;
    if (kind === "outdated") return logStatements(db, withoutWaiting(progress));
    const { endpoint, disabled } = progress;
    const outdated = () => {
      throw new NotKept(endpoint, "outdated");
    };
    const changed = () => {
      // The audit log must not say that it was disabled.
      if (disabled && kind === "kept") throw new NotKept(endpoint, "not disabled");
      onChanged();
    };
    return [
      { statement: this.#advance(progress), unchanged: outdated },
      { statement: this.#keepState(progress), unchanged: changed },
      ...retryStatements(db, progress),
      ...logStatements(db, progress),
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
}

/** Rolls the unit back, which is then tried anew with less of the endpoint's progress. */
class NotKept extends Error {
  constructor(
    readonly endpoint: string,
    readonly kind: Exclude<Kind, "kept">,
  ) {
    super(`The progress of ${endpoint} cannot be stored whole`);
  }
}

/** The holder of the account is also notified by mail. */
function disabledEntry({ endpoint, reason, disabled }: EndpointProgress): AuditEntry[] {
  if (!disabled) return [];
  const { account, url } = disabled;
  const actor = { kind: "system", id: "", name: "webhooks" } as const;
  return [{ actor, account, action: "webhook.disabled", target: endpoint, detail: { url, reason: reason ?? "" } }];
}
