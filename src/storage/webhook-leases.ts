import { type RawBuilder, sql } from "kysely";
import type { WebhookEndpoint, WebhookStatus } from "#core/webhook.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { DATABASE_NOW, isOver } from "./engine.ts";
import { ENDED, leaseRecords } from "./leases.ts";
import { suspendedStores } from "./suspensions.ts";
import type { EndpointHealth } from "./webhook-outcomes.ts";
import { readEndpoints } from "./webhook-row.ts";

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
}

const COUNT = sql<number>`count(*)`.as("count");
/** A node that delivers has the lease of this name and its own. */
const NODES = "webhooks-";
const ACTIVE: readonly WebhookStatus[] = ["enabled", "paused"];

/** Assigns endpoints to the nodes that deliver to them, with what a node has to know about each. */
export class WebhookLeases {
  constructor(private readonly storage: DatabaseAccess) {}

  /** The number of endpoints in each state, over all accounts. */
  async countByStatus(): Promise<Record<WebhookStatus, number>> {
    const query = this.storage.db.selectFrom("webhook_endpoints").select(["status", COUNT]);
    const rows = await query.groupBy("status").execute();
    const counts = Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    return { enabled: 0, paused: 0, disabled: 0, ...counts };
  }

  /** Takes free endpoints, renews the leases of held ones, and releases those beyond the node's share. */
  async renew({ node, durationMs }: LeaseOptions): Promise<void> {
    await this.#releaseDead();
    const until = sql<number>`${this.#now} + ${sql.lit(Math.round(durationMs))}`;
    await leaseRecords(this.storage).acquire({ name: NODES + node, holder: node, durationMs });
    await this.storage.db
      .deleteFrom("leases")
      .where("name", "like", `${NODES}%`)
      .where(isOver("expires_at", this.#now, durationMs))
      .execute();
    await this.#held(node).set({ held_until: until }).execute();
    const share = await this.#share();
    const held = [...(await this.revisions(node)).keys()].sort();
    if (held.length > share) await this.release(node, held.slice(share));
    if (held.length < share) await this.#acquire(node, until, durationMs, share - held.length);
  }

  async release(node: string, ids?: readonly string[]): Promise<void> {
    const release = this.#held(node).set({ holder: null, held_until: 0 });
    await (ids ? release.where("id", "in", [...ids]) : release).execute();
    if (!ids) await leaseRecords(this.storage).release({ name: NODES + node, holder: node });
  }

  /** Revisions of the endpoints to which the node delivers; those of suspended stores wait. */
  async revisions(node: string): Promise<Map<string, number>> {
    const { db } = this.storage;
    const query = db.selectFrom("webhook_endpoints").select(["id", "revision"]).where("holder", "=", node);
    const delivered = query.where("status", "in", ACTIVE).where("account", "not in", suspendedStores(db));
    const rows = await delivered.execute();
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

  /** The leases of processes that have ended need not be waited for. */
  async #releaseDead(): Promise<void> {
    const isDead = ENDED[this.storage.engine];
    for (const node of await this.#nodes()) if (isDead(node)) await this.release(node);
  }

  get #now(): RawBuilder<number> {
    return DATABASE_NOW[this.storage.engine];
  }

  #held(node: string) {
    return this.storage.db.updateTable("webhook_endpoints").where("holder", "=", node);
  }

  async #nodes(): Promise<string[]> {
    const nodes = this.storage.db.selectFrom("leases").select("holder").where("name", "like", `${NODES}%`);
    return (await nodes.execute()).map(({ holder }) => holder);
  }

  async #share(): Promise<number> {
    const alive = (await this.#nodes()).length;
    const { enabled, paused } = await this.countByStatus();
    return Math.ceil((enabled + paused) / Math.max(1, alive));
  }

  async #acquire(node: string, until: RawBuilder<number>, durationMs: number, count: number): Promise<void> {
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
