import { sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { Caller, StoreCaller } from "#core/caller.ts";
import type { EventType } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import { masked } from "#core/masked.ts";
import type { AccountNumber } from "#core/plant.ts";
import { WEBHOOKS_PER_ACCOUNT_MAX, type WebhookEndpoint, type WebhookReason } from "#core/webhook.ts";
import { WEBHOOKS } from "#load/limit-groups.ts";
import type { AuditedAccess } from "./audit.ts";
import { lockingStore, required, type Statement } from "./database-access.ts";
import type { Schema } from "./schema.ts";
import { type Replay, replayStatement } from "./webhook-outcomes.ts";
import { readEndpoints, typesText } from "./webhook-row.ts";

const ENDPOINTS = WEBHOOKS.row("webhook endpoints", "account", { each: WEBHOOKS_PER_ACCOUNT_MAX });

export type NewEndpoint = Omit<
  WebhookEndpoint,
  "secrets" | "status" | "reason" | "failingSince" | "nextAt" | "updatedAt"
>;
export type SealedSecret = Omit<Schema["webhook_secrets"], "endpoint">;
/** An endpoint that is enabled begins anew with all that waits at once; one that is given a position forgets it. */
export type EndpointChange = Partial<
  Pick<WebhookEndpoint, "url" | "description" | "delivery" | "status" | "position">
> & {
  readonly types?: ReadonlySet<EventType> | null;
  readonly reason?: WebhookReason | null;
};

interface ReplayedRange extends Pick<Replay, "id" | "until" | "types"> {
  readonly endpoint: string;
  readonly from: bigint;
  readonly now: number;
}

/** An account's webhook endpoints, on either engine. */
export class WebhookEndpoints {
  constructor(private readonly storage: AuditedAccess) {}

  /** Throws "account-limit" if the account has as many as it may. */
  async add(endpoint: NewEndpoint, secret: SealedSecret, by: Caller): Promise<void> {
    const { db, audit } = this.storage;
    const { types, createdAt, ...members } = endpoint;
    const { id, account, url } = endpoint;
    const times = { created_at: createdAt, updated_at: createdAt };
    const row = { ...members, ...times, types: typesText(types), status: "enabled" } as const;
    const count = db.selectFrom("webhook_endpoints").select((rows) => rows.fn.countAll<number>().as("count"));
    const locked = lockingStore(db, account);
    const entry = { ...by, account, action: "webhook.created", target: id, detail: { url } } as const;
    const steps = [
      locked,
      required(locked.where(count.where("account", "=", account), "<", ENDPOINTS.each), tooMany),
      db.insertInto("webhook_endpoints").values(row),
      db.insertInto("webhook_secrets").values({ endpoint: id, ...secret }),
    ];
    await audit.runAudited(steps, [entry]);
  }

  async list(account: AccountNumber): Promise<WebhookEndpoint[]> {
    const found = await readEndpoints(this.storage.db, (is) => is.and({ account }));
    return found.map(({ endpoint }) => endpoint);
  }

  async find(account: AccountNumber, id: string): Promise<WebhookEndpoint | undefined> {
    const [found] = await readEndpoints(this.storage.db, (is) => is.and({ account, id }));
    return found?.endpoint;
  }

  /** Throws "not-found". */
  async require(account: AccountNumber, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.find(account, id);
    if (!endpoint) throw endpointUnknown(id);
    return endpoint;
  }

  async change(caller: StoreCaller, id: string, change: EndpointChange): Promise<void> {
    const { account } = caller;
    const before = await this.require(account, id);
    const { types, ...members } = change;
    const forgets = change.position !== undefined || change.delivery === "notice";
    const isAnew = change.status === "enabled" || forgets;
    const revision = sql<number>`revision + 1`;
    const entries = changeEntries(before, change).map((entry) => ({ ...caller, target: id, ...entry }));
    const update = this.#endpoint(account, id).set({
      ...(change.delivery === "notice" ? { position: beforeAllThatWaits(id) } : {}),
      ...members,
      ...(types === undefined ? {} : { types: typesText(types ?? undefined) }),
      ...(change.status === "enabled" ? { failing_since: null, failures: 0, reason: null } : {}),
      ...(isAnew ? { not_before: 0, restart_revision: revision } : {}),
      ...(entries.length > 0 ? { updated_at: Date.now() } : {}),
      revision,
    });
    const waiting = forgets ? this.#forget(id) : isAnew ? this.#hasten(id) : [];
    await this.storage.audit.runAudited([mustFind(update, id), ...waiting], entries);
  }

  async remove(caller: StoreCaller, id: string): Promise<void> {
    const { account } = caller;
    const { url } = await this.require(account, id);
    const entry = { ...caller, action: "webhook.removed", target: id, detail: { url } } as const;
    const [removed, ...rows] = this.#removal(account, id);
    await this.storage.audit.runAudited([mustFind(removed, id), ...rows], [entry]);
  }

  /**
   * Replaces the secrets. The node that delivers to the endpoint signs with the new ones within a second or two. Throws
   * "account-limit" if the newest of those that were read has been replaced since: its successor would end unused.
   */
  async setSecrets(
    caller: StoreCaller,
    endpoint: string,
    { read, next }: { readonly read: readonly SealedSecret[]; readonly next: readonly SealedSecret[] },
  ): Promise<void> {
    const { account } = caller;
    const { db, audit } = this.storage;
    const { url } = await this.require(account, endpoint);
    const changed = { revision: sql<number>`revision + 1`, updated_at: Date.now() };
    const entry = { ...caller, action: "webhook.secret_rolled", target: endpoint, detail: { url } } as const;
    const secrets = db.deleteFrom("webhook_secrets").where("endpoint", "=", endpoint);
    const newest = read.find(({ expires_at }) => expires_at === null)?.sealed ?? "";
    const steps = [
      mustFind(this.#endpoint(account, endpoint).set(changed), endpoint),
      required(secrets.where("expires_at", "is", null).where("sealed", "=", newest), rolledMeanwhile),
      secrets,
      db.insertInto("webhook_secrets").values(next.map((secret) => ({ endpoint, ...secret }))),
    ];
    await audit.runAudited(steps, [entry]);
  }

  async secrets(endpoint: string): Promise<SealedSecret[]> {
    const secrets = this.storage.db.selectFrom("webhook_secrets").where("endpoint", "=", endpoint);
    return secrets.select(["hint", "sealed", "created_at", "expires_at"]).orderBy("created_at", "desc").execute();
  }

  /** Stores events to deliver again; the node that delivers to the endpoint finds them. */
  async replayEvents(endpoint: string, numbers: readonly bigint[], now: number): Promise<void> {
    if (numbers.length === 0) return;
    const events = [...new Set(numbers)].map((number) => ({ number, attempts: 0, nextAt: now }));
    await this.storage.atomically([this.#bump(endpoint), replayStatement(this.storage.db, endpoint, events)]);
  }

  async replayRange({ id, endpoint, from, until, types, now }: ReplayedRange): Promise<void> {
    const row = { id, endpoint, position: from, until, types: typesText(types), created_at: now };
    await this.storage.atomically([this.#bump(endpoint), this.storage.db.insertInto("webhook_replays").values(row)]);
  }

  async removeAll(account: AccountNumber): Promise<void> {
    for (const { id } of await this.list(account)) await this.storage.atomically(this.#removal(account, id));
  }

  /** Drops everything that waits or is being replayed. */
  #forget(endpoint: string): Statement[] {
    const rows = WAITING.map((table) => this.storage.db.deleteFrom(table).where("endpoint", "=", endpoint));
    return [...rows, this.#waitingDeliveries(endpoint).set({ status: "failed", next_at: null })];
  }

  /** All that waits for another attempt is due at once. */
  #hasten(endpoint: string): Statement[] {
    const due = { next_at: Date.now() };
    const retries = this.storage.db.updateTable("webhook_retries").where("endpoint", "=", endpoint);
    return [retries.set(due), this.#waitingDeliveries(endpoint).set(due)];
  }

  #waitingDeliveries(endpoint: string) {
    const deliveries = this.storage.db.updateTable("webhook_attempts").where("endpoint", "=", endpoint);
    return deliveries.where("status", "=", "waiting");
  }

  #removal(account: AccountNumber, id: string): [Statement, ...Statement[]] {
    const { db } = this.storage;
    const endpoint = db.deleteFrom("webhook_endpoints").where("account", "=", account).where("id", "=", id);
    const tables = ["webhook_secrets", ...WAITING, "webhook_attempts"] as const;
    return [endpoint, ...tables.map((table) => db.deleteFrom(table).where("endpoint", "=", id))];
  }

  #endpoint(account: AccountNumber, id: string) {
    const endpoints = this.storage.db.updateTable("webhook_endpoints").where("account", "=", account);
    return endpoints.where("id", "=", id);
  }

  /** Comes first in its unit, as in those of its holder: on PostgreSQL one waits for the end of the other. */
  #bump(endpoint: string) {
    const endpoints = this.storage.db.updateTable("webhook_endpoints").where("id", "=", endpoint);
    return mustFind(endpoints.set({ revision: sql<number>`revision + 1` }), endpoint);
  }
}

/** The tables of what is to be sent later. */
const WAITING = ["webhook_retries", "webhook_replays"] as const;

/** A notice tells from where to read, so it reaches back to the first event that waits for another attempt or a replay. */
function beforeAllThatWaits(endpoint: string) {
  return sql<bigint>`(SELECT min(position) FROM (
    SELECT position FROM webhook_endpoints WHERE id = ${endpoint}
    UNION ALL SELECT number - 1 FROM webhook_retries WHERE endpoint = ${endpoint}
    UNION ALL SELECT position FROM webhook_replays WHERE endpoint = ${endpoint}) AS waiting)`;
}

/**
 * The entries about what a change changes, by the names that members have in the API. Turning an endpoint on or off is an
 * act of its own.
 */
function changeEntries(before: WebhookEndpoint, change: EndpointChange): Pick<AuditEntry, "action" | "detail">[] {
  const url = change.url ?? before.url;
  const was = { ...before, events: typesText(before.types) };
  const { status = was.status, reason, types, ...members } = change;
  const given = { ...members, ...(types === undefined ? {} : { events: typesText(types ?? undefined) }) };
  const names = Object.keys(given) as (keyof typeof given)[];
  const changed = names.filter((name) => given[name] !== was[name]).join(" ");
  const entries = changed === "" ? [] : [{ action: "webhook.changed", detail: { url, changed } } as const];
  if (status === was.status) return entries;
  if (status === "enabled") return [...entries, { action: "webhook.enabled", detail: { url } }];
  return [...entries, { action: "webhook.disabled", detail: { url, reason: reason ?? "" } }];
}

/** The statement concerns the endpoint itself: if it does not exist, nothing is done. */
function mustFind(statement: Statement, id: string) {
  return required(statement, () => endpointUnknown(id));
}

function endpointUnknown(id: string): Failure {
  return new Failure("not-found", `There is no webhook endpoint with the id ${masked(id).slice(0, 50)}`);
}

function rolledMeanwhile(): Failure {
  return new Failure(
    "account-limit",
    "Cannot roll the secret: another roll at the same time has just made one, and an endpoint has at most two; read the endpoint, and roll again if that is still wanted",
  );
}

function tooMany(): Failure {
  return new Failure(
    "account-limit",
    `This account has ${ENDPOINTS.each} webhook endpoints, which is the limit; remove one first`,
  );
}
