import { type CompiledQuery, sql } from "kysely";
import type { AuditEntry, AuditSource } from "#core/audit.ts";
import type { EventType } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import {
  type DeliveryPage,
  type DeliveryQuery,
  WEBHOOKS_PER_ACCOUNT_MAX,
  type WebhookEndpoint,
  type WebhookReason,
} from "#core/webhook.ts";
import { type ChangeCheck, firstChanges } from "./atomically.ts";
import type { AuditedAccess } from "./audit.ts";
import type { Schema } from "./schema.ts";
import type { Replay } from "./webhook-progress.ts";
import { deliveryFromRow, endpointColumns, endpointFromRow, typesText } from "./webhook-row.ts";

export type NewEndpoint = Omit<WebhookEndpoint, "secrets" | "status" | "reason" | "failingSince" | "updatedAt">;
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
  async add(endpoint: NewEndpoint, secret: SealedSecret, by: AuditSource): Promise<void> {
    const { id, account, url, description, delivery, version, position, createdAt } = endpoint;
    // Two creates of one account wait for each other here, so that together they keep to the limit.
    const lock = this.storage.db.updateTable("accounts").set({ number: account }).where("number", "=", account);
    const count = this.storage.db.selectFrom("webhook_endpoints").select((row) => row.fn.countAll().as("count"));
    const fits = sql<boolean>`(${count.where("account", "=", account)}) < ${sql.lit(WEBHOOKS_PER_ACCOUNT_MAX)}`;
    const same = { id, account, url, description, delivery, version, position };
    const columns = {
      ...same,
      types: typesText(endpoint.types),
      status: "enabled",
      created_at: createdAt,
      updated_at: createdAt,
    };
    const row = this.storage.db.selectFrom("accounts").where("number", "=", account).where(fits);
    const values = row.select(() => Object.entries(columns).map(([name, value]) => typed(name, value).as(name)));
    const insert = this.storage.db
      .insertInto("webhook_endpoints")
      .columns(Object.keys(columns) as (keyof typeof columns)[])
      .expression(() => values as never);
    const insertSecret = this.storage.db.insertInto("webhook_secrets").values({ endpoint: id, ...secret });
    const entry = { ...by, account, action: "webhook.created", target: id, detail: { url } } as const;
    await this.storage.audit.keep(
      [lock.compile(), insert.compile(), insertSecret.compile()],
      [entry],
      (index, rows) => {
        if (index === 1 && rows === 0) throw tooMany();
      },
    );
  }

  async list(account: AccountNumber): Promise<WebhookEndpoint[]> {
    const query = this.storage.db.selectFrom("webhook_endpoints").select(endpointColumns);
    const rows = await query.where("account", "=", account).orderBy("created_at").orderBy("id").execute();
    const secrets = await this.#secretsOf(rows.map(({ id }) => id));
    return rows.map((row) => endpointFromRow(row, secrets));
  }

  async find(account: AccountNumber, id: string): Promise<WebhookEndpoint | undefined> {
    const query = this.storage.db.selectFrom("webhook_endpoints").select(endpointColumns);
    const row = await query.where("account", "=", account).where("id", "=", id).executeTakeFirst();
    return row && endpointFromRow(row, await this.#secretsOf([id]));
  }

  async change(account: AccountNumber, id: string, change: EndpointChange, by: AuditSource): Promise<void> {
    const before = await this.#required(account, id);
    const { types, ...members } = change;
    const forgets = change.position !== undefined || change.delivery === "notice";
    const isAnew = change.status === "enabled" || forgets;
    const revision = sql<number>`revision + 1`;
    const update = this.storage.db
      .updateTable("webhook_endpoints")
      .set({
        ...(change.delivery === "notice" ? { position: beforeAllThatWaits(id) } : {}),
        ...members,
        ...(types === undefined ? {} : { types: typesText(types ?? undefined) }),
        ...(change.status === "enabled" ? { failing_since: null, failures: 0, reason: null } : {}),
        ...(isAnew ? { not_before: 0, restart_revision: revision } : {}),
        revision,
        updated_at: Date.now(),
      })
      .where("account", "=", account)
      .where("id", "=", id);
    const entries = changeEntries(before, change).map((entry) => ({ ...by, account, target: id, ...entry }));
    const waiting = forgets ? this.#forget(id) : isAnew ? this.#hasten(id) : [];
    await this.storage.audit.keep([update.compile(), ...waiting], entries, mustFind(id));
  }

  async remove(account: AccountNumber, id: string, by: AuditSource): Promise<void> {
    const { url } = await this.#required(account, id);
    const entry = { ...by, account, action: "webhook.removed", target: id, detail: { url } } as const;
    await this.storage.audit.keep(this.#removal(account, id), [entry], mustFind(id));
  }

  /** Replaces the secrets. The node that delivers to the endpoint signs with the new ones within a second or two. */
  async setSecrets(
    account: AccountNumber,
    endpoint: string,
    secrets: readonly SealedSecret[],
    by: AuditSource,
  ): Promise<void> {
    const forget = this.storage.db.deleteFrom("webhook_secrets").where("endpoint", "=", endpoint);
    const insert = this.storage.db
      .insertInto("webhook_secrets")
      .values(secrets.map((secret) => ({ endpoint, ...secret })));
    const changed = { revision: sql<number>`revision + 1`, updated_at: Date.now() };
    const bump = this.storage.db.updateTable("webhook_endpoints").set(changed).where("account", "=", account);
    const { url } = await this.#required(account, endpoint);
    const entry = { ...by, account, action: "webhook.secret_rolled", target: endpoint, detail: { url } } as const;
    await this.storage.audit.keep(
      [bump.where("id", "=", endpoint).compile(), forget.compile(), insert.compile()],
      [entry],
      mustFind(endpoint),
    );
  }

  async secrets(endpoint: string): Promise<SealedSecret[]> {
    return (await this.#secretsOf([endpoint])).map(({ endpoint: _, ...secret }) => secret);
  }

  /** Stores events to deliver again; the node that delivers to the endpoint finds them. */
  async replayEvents(endpoint: string, numbers: readonly bigint[], now: number): Promise<void> {
    if (numbers.length === 0) return;
    const rows = [...new Set(numbers)].map((number) => ({ endpoint, number, attempts: 0, next_at: now }));
    const insert = this.storage.db
      .insertInto("webhook_retries")
      .values(rows)
      .onConflict((conflict) => conflict.columns(["endpoint", "number"]).doUpdateSet({ attempts: 0, next_at: now }));
    await this.storage.atomically([insert.compile(), this.#bump(endpoint)]);
  }

  async replayRange({ id, endpoint, from, until, types, now }: ReplayedRange): Promise<void> {
    const row = { id, endpoint, position: from, until, types: typesText(types), created_at: now };
    await this.storage.atomically([
      this.storage.db.insertInto("webhook_replays").values(row).compile(),
      this.#bump(endpoint),
    ]);
  }

  async deliveries(endpoint: string, query: DeliveryQuery): Promise<DeliveryPage> {
    let rows = this.storage.db.selectFrom("webhook_attempts").selectAll().where("endpoint", "=", endpoint);
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

  async #required(account: AccountNumber, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.find(account, id);
    if (!endpoint) throw endpointUnknown(id);
    return endpoint;
  }

  async removeAll(account: AccountNumber): Promise<void> {
    for (const { id } of await this.list(account)) await this.storage.atomically(this.#removal(account, id));
  }

  /** Nothing that waited or was being replayed is sent any more. */
  #forget(endpoint: string): CompiledQuery[] {
    const rows = (["webhook_retries", "webhook_replays"] as const).map((table) =>
      this.storage.db.deleteFrom(table).where("endpoint", "=", endpoint).compile(),
    );
    return [...rows, this.#waitingDeliveries(endpoint).set({ status: "failed", next_at: null }).compile()];
  }

  /** All that waits for another attempt is due at once. */
  #hasten(endpoint: string): CompiledQuery[] {
    const due = { next_at: Date.now() };
    const retries = this.storage.db.updateTable("webhook_retries").where("endpoint", "=", endpoint);
    return [retries.set(due).compile(), this.#waitingDeliveries(endpoint).set(due).compile()];
  }

  #waitingDeliveries(endpoint: string) {
    const deliveries = this.storage.db.updateTable("webhook_attempts").where("endpoint", "=", endpoint);
    return deliveries.where("status", "=", "waiting");
  }

  #removal(account: AccountNumber, id: string): CompiledQuery[] {
    const endpoint = this.storage.db
      .deleteFrom("webhook_endpoints")
      .where("account", "=", account)
      .where("id", "=", id);
    const rows = (["webhook_secrets", "webhook_retries", "webhook_replays", "webhook_attempts"] as const).map((table) =>
      this.storage.db.deleteFrom(table).where("endpoint", "=", id),
    );
    return [endpoint, ...rows].map((each) => each.compile());
  }

  #bump(endpoint: string) {
    const update = this.storage.db.updateTable("webhook_endpoints").set({ revision: sql<number>`revision + 1` });
    return update.where("id", "=", endpoint).compile();
  }

  async #secretsOf(endpoints: readonly string[]): Promise<Schema["webhook_secrets"][]> {
    if (endpoints.length === 0) return [];
    const query = this.storage.db
      .selectFrom("webhook_secrets")
      .selectAll()
      .where("endpoint", "in", [...endpoints]);
    return query.orderBy("created_at", "desc").execute();
  }
}

/** A notice tells from where to read, so it reaches back to the first event that waits for another attempt or a replay. */
function beforeAllThatWaits(endpoint: string) {
  return sql<bigint>`(SELECT min(position) FROM (
    SELECT position FROM webhook_endpoints WHERE id = ${endpoint}
    UNION ALL SELECT number - 1 FROM webhook_retries WHERE endpoint = ${endpoint}
    UNION ALL SELECT position FROM webhook_replays WHERE endpoint = ${endpoint}) AS waiting)`;
}

/** An untyped parameter in a SELECT list has no usable type in PostgreSQL. */
function typed(name: string, value: unknown) {
  const isInteger = name === "account" || name === "position" || name.endsWith("_at");
  return isInteger ? sql`CAST(${value} AS bigint)` : sql`CAST(${value} AS text)`;
}

/** The entries about what a change changes. Turning an endpoint on or off is an act of its own. */
function changeEntries(before: WebhookEndpoint, change: EndpointChange): Pick<AuditEntry, "action" | "detail">[] {
  const url = change.url ?? before.url;
  const was = { ...before, types: typesText(before.types) };
  const { status = was.status, reason, types, ...members } = change;
  const given = { ...members, ...(types === undefined ? {} : { types: typesText(types ?? undefined) }) };
  const names = Object.keys(given) as (keyof typeof given)[];
  const changed = names.filter((name) => given[name] !== was[name]).join(" ");
  const entries = changed === "" ? [] : [{ action: "webhook.changed", detail: { url, changed } } as const];
  if (status === was.status) return entries;
  if (status === "enabled") return [...entries, { action: "webhook.enabled", detail: { url } }];
  return [...entries, { action: "webhook.disabled", detail: { url, reason: reason ?? "" } }];
}

/** The first statement concerns the endpoint itself: if it does not exist, nothing is done. */
function mustFind(id: string): ChangeCheck {
  return firstChanges(() => endpointUnknown(id));
}

export function endpointUnknown(id: string): Failure {
  return new Failure("event-unknown", `There is no webhook endpoint with the id ${id}`);
}

function tooMany(): Failure {
  return new Failure(
    "account-limit",
    `This account has ${WEBHOOKS_PER_ACCOUNT_MAX} webhook endpoints, which is the limit; remove one first`,
  );
}
