import { type Selectable, sql } from "kysely";
import { type EventType, isEventType } from "#core/event.ts";
import type { Delivery, WebhookEndpoint } from "#core/webhook.ts";
import type { Schema } from "./schema.ts";

export function typesText(types: ReadonlySet<EventType> | undefined): string | null {
  return types ? [...types].join(" ") : null;
}

export function typesFromText(text: string | null): ReadonlySet<EventType> | undefined {
  if (text === null) return undefined;
  return new Set(text.split(" ").filter(isEventType));
}

export const positionText = sql<string>`CAST(position AS text)`.as("position_text");

const PLAIN_COLUMNS = [
  "id",
  "account",
  "url",
  "types",
  "description",
  "delivery",
  "version",
  "status",
  "reason",
  "failing_since",
  "failures",
  "revision",
  "restart_revision",
  "not_before",
  "created_at",
  "updated_at",
] as const;

/** The columns of an endpoint. The position is read as text, since it may exceed what a number can hold. */
export const endpointColumns = [...PLAIN_COLUMNS, positionText] as const;

type EndpointRow = Pick<Selectable<Schema["webhook_endpoints"]>, (typeof PLAIN_COLUMNS)[number]> & {
  readonly position_text: string;
};

export function endpointFromRow(row: EndpointRow, secrets: readonly Schema["webhook_secrets"][]): WebhookEndpoint {
  return {
    id: row.id,
    account: row.account,
    url: row.url,
    types: typesFromText(row.types),
    description: row.description,
    delivery: row.delivery,
    version: row.version,
    status: row.status,
    reason: row.reason ?? undefined,
    failingSince: row.failing_since ?? undefined,
    position: BigInt(row.position_text),
    secrets: secrets
      .filter(({ endpoint }) => endpoint === row.id)
      .map(({ hint, created_at, expires_at }) => ({ hint, createdAt: created_at, expiresAt: expires_at ?? undefined })),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
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
