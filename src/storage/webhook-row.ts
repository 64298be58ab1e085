import { type Selectable, sql } from "kysely";
import { type EventType, isEventType } from "#core/event.ts";
import type { Delivery, WebhookEndpoint } from "#core/webhook.ts";
import type { WebhookAttemptsTable, WebhookEndpointsTable, WebhookSecretsTable } from "./schema.ts";

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

type EndpointRow = Pick<Selectable<WebhookEndpointsTable>, (typeof PLAIN_COLUMNS)[number]> & {
  readonly position_text: string;
};

export function endpointFromRow(row: EndpointRow, secrets: readonly WebhookSecretsTable[]): WebhookEndpoint {
  return {
    id: row.id,
    account: Number(row.account),
    url: row.url,
    types: typesFromText(row.types),
    description: row.description,
    delivery: row.delivery,
    version: row.version,
    status: row.status,
    reason: row.reason ?? undefined,
    failingSince: row.failing_since === null ? undefined : Number(row.failing_since),
    position: BigInt(row.position_text),
    secrets: secrets
      .filter(({ endpoint }) => endpoint === row.id)
      .map(({ hint, created_at, expires_at }) => ({
        hint,
        createdAt: Number(created_at),
        expiresAt: expires_at === null ? undefined : Number(expires_at),
      })),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

export function deliveryFromRow(row: Selectable<WebhookAttemptsTable>): Delivery {
  return {
    id: deliveryId(row.endpoint, Number(row.sequence)),
    event: row.event,
    type: row.type,
    attempt: Number(row.attempt),
    status: row.status,
    httpStatus: row.http_status === null ? undefined : Number(row.http_status),
    error: row.error ?? undefined,
    ms: Number(row.ms),
    at: Number(row.at),
    nextAt: row.next_at === null ? undefined : Number(row.next_at),
    excerpt: row.excerpt ?? undefined,
  };
}

function deliveryId(endpoint: string, sequence: number): string {
  return `dlv_${endpoint.slice(3)}_${sequence}`;
}
