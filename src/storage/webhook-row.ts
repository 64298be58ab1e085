import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import { type EventType, isEventType } from "#core/event.ts";
import type { Delivery, WebhookEndpoint } from "#core/webhook.ts";
import type { Queries } from "./database-access.ts";
import type { Schema } from "./schema.ts";

export function typesText(types: ReadonlySet<EventType> | undefined): string | null {
  return types ? [...types].join(" ") : null;
}

export function typesFromText(text: string | null): ReadonlySet<EventType> | undefined {
  if (text === null) return undefined;
  return new Set(text.split(" ").filter(isEventType));
}

export const positionText = sql<string>`CAST(position AS text)`.as("position_text");

const SETTINGS = ["id", "account", "url", "types", "description", "delivery", "version"] as const;
const STATE = ["status", "reason", "failing_since", "failures", "not_before"] as const;
const MARKS = ["revision", "restart_revision", "created_at", "updated_at"] as const;
/** The columns of an endpoint. The position is read as text, since it may exceed what a number can hold. */
const COLUMNS = [...SETTINGS, ...STATE, ...MARKS, positionText] as const;

type EndpointRows = ExpressionBuilder<Schema, "webhook_endpoints">;

/** The endpoints that meet the condition, oldest first, each with its row and its secrets, newest first. */
export async function readEndpoints(db: Queries, where: (is: EndpointRows) => ReturnType<EndpointRows["and"]>) {
  const chosen = db.selectFrom("webhook_endpoints").where(where);
  const rows = await chosen.select(COLUMNS).orderBy("created_at").orderBy("id").execute();
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const all = db.selectFrom("webhook_secrets").selectAll().where("endpoint", "in", ids);
  const secrets = Map.groupBy(await all.orderBy("created_at", "desc").execute(), ({ endpoint }) => endpoint);
  return rows.map((row) => endpointFromRow(row, secrets.get(row.id) ?? []));
}

type EndpointRow = Pick<Selectable<Schema["webhook_endpoints"]>, Exclude<(typeof COLUMNS)[number], object>> & {
  readonly position_text: string;
};

function endpointFromRow(row: EndpointRow, secrets: readonly Schema["webhook_secrets"][]) {
  const { id, account, url, description, delivery, version, status } = row;
  const endpoint: WebhookEndpoint = {
    ...{ id, account, url, description, delivery, version, status },
    types: typesFromText(row.types),
    reason: row.reason ?? undefined,
    failingSince: row.failing_since ?? undefined,
    nextAt: status === "paused" ? row.not_before : undefined,
    position: BigInt(row.position_text),
    secrets: secrets.map((secret) => ({
      hint: secret.hint,
      createdAt: secret.created_at,
      expiresAt: secret.expires_at ?? undefined,
    })),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
  return { endpoint, row, secrets };
}

export function deliveryFromRow(row: Selectable<Schema["webhook_attempts"]>): Delivery {
  const { endpoint, sequence, event, type, attempt, status, ms, at } = row;
  const same = { event, type, attempt, status, ms, at };
  return {
    ...same,
    id: `dlv_${endpoint.slice(3)}_${sequence}`,
    httpStatus: row.http_status ?? undefined,
    error: row.error ?? undefined,
    nextAt: row.next_at ?? undefined,
    excerpt: row.excerpt ?? undefined,
  };
}
