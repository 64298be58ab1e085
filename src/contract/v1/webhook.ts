import type { z } from "zod";
import { EVENT_TYPES } from "#core/event.ts";
import type { Delivery, WebhookView } from "#core/webhook.ts";
import { encodeCursor } from "../cursor.ts";
import { encodeEventCursor } from "../event-cursor.ts";
import { timestamp } from "../timestamp.ts";
import type { deliveryPageSchema, deliverySchema, webhookSchema } from "./webhooks.ts";

export function webhookRecord(view: WebhookView): z.output<typeof webhookSchema> {
  return {
    id: view.id,
    url: view.url,
    events: view.types ? [...view.types] : [...EVENT_TYPES],
    description: view.description,
    delivery: view.delivery,
    version: view.version,
    status: view.status,
    ...(view.reason === undefined ? {} : { reason: view.reason }),
    ...(view.failingSince === undefined ? {} : { failing_since: timestamp(view.failingSince) }),
    ...(view.nextAt === undefined ? {} : { next_at: timestamp(view.nextAt) }),
    lag_seconds: view.lagSeconds,
    position: encodeEventCursor(view.position),
    secrets: view.secrets.map(({ hint, createdAt, expiresAt }) => ({
      hint,
      created_at: timestamp(createdAt),
      ...(expiresAt === undefined ? {} : { expires_at: timestamp(expiresAt) }),
    })),
    created_at: timestamp(view.createdAt),
    updated_at: timestamp(view.updatedAt),
  };
}

/** A page of the log of deliveries; `next` is undefined on the last one. */
export function deliveryPageRecord(deliveries: readonly Delivery[], next: number | undefined) {
  return {
    data: deliveries.map(deliveryRecord),
    next_cursor: next === undefined ? null : encodeCursor("deliveries", BigInt(next)),
  } satisfies z.output<typeof deliveryPageSchema>;
}

export function deliveryRecord(delivery: Delivery): z.output<typeof deliverySchema> {
  const { httpStatus, error, nextAt, excerpt } = delivery;
  return {
    id: delivery.id,
    event: delivery.event,
    type: delivery.type,
    attempt: delivery.attempt,
    status: delivery.status,
    ...(httpStatus === undefined ? {} : { http_status: httpStatus }),
    ...(error === undefined ? {} : { error }),
    ms: Math.round(delivery.ms),
    at: timestamp(delivery.at),
    ...(nextAt === undefined ? {} : { next_at: timestamp(nextAt) }),
    ...(excerpt === undefined ? {} : { response_excerpt: excerpt }),
  };
}
