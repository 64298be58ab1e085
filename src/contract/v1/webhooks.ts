import { z } from "zod";
import { DURATION_PATTERN } from "#core/duration.ts";
import { EVENT_TYPES } from "#core/event.ts";
import {
  DELIVERY_STATUSES,
  WEBHOOK_DELIVERY_MODES,
  WEBHOOK_DESCRIPTION_LENGTH_MAX,
  WEBHOOK_REPLAYED_EVENTS_MAX,
} from "#core/webhook.ts";
import { keptPlantSchema } from "./schemas.ts";

/** The wire's shapes of events, webhook endpoints and their deliveries. */
const Time = z.string().meta({ format: "date-time", description: "RFC 3339, UTC, milliseconds." });
const EventTypeName = z.enum(EVENT_TYPES);

export const previousPlantSchema = z
  .object({ name: z.string().optional(), tag: z.string().nullable().optional() })
  .meta({ id: "PreviousPlant", description: "The members that changed, as they were; `tag: null` for none." });

export const eventDataSchema = z
  .object({
    plant_id: z.string().meta({ description: "The plant's id as a decimal, exact in every JSON parser." }),
    /** In `plant.removed`, the plant before its removal. */
    plant: keptPlantSchema.optional(),
    plant_omitted: z
      .literal(true)
      .optional()
      .meta({ description: "In a webhook whose body would be over 64 KiB: read the plant." }),
    /** Only in `plant.changed`. */
    previous: previousPlantSchema.optional(),
  })
  .meta({ id: "EventData" });

export const eventSchema = z
  .object({
    id: z.string().meta({ description: "Unique, the same in the feed, the stream and every delivery." }),
    type: EventTypeName.meta({ description: "Ignore types that you do not know: more may be added." }),
    timestamp: Time,
    version: z.string().meta({ description: "The version of the interface that `data` speaks." }),
    data: eventDataSchema,
    test: z.literal(true).optional().meta({ description: "True for a test event, which was sent on request." }),
  })
  .meta({ id: "Event" });

export const eventPageSchema = z
  .object({
    data: z.array(eventSchema),
    next_cursor: z.string().meta({ description: "The `cursor` to go on from; never null. Keep it." }),
    has_more: z.boolean().meta({ description: "True if there may be more at once." }),
  })
  .meta({ id: "EventPage" });

export const eventStreamSchema = z.string().meta({
  id: "EventStream",
  description: "Server-sent events (WHATWG HTML, 9.2). The `id` of each is a cursor, its `data` an Event in one line.",
});

export const sentTestEventSchema = z
  .object({
    id: z.string(),
    streams: z.int().min(0).meta({ description: "The account's open streams on this node that it was sent to." }),
  })
  .meta({ id: "SentTestEvent" });

export const webhookSecretSchema = z
  .object({
    hint: z.string().meta({ description: "The first and last characters." }),
    created_at: Time,
    expires_at: Time.optional(),
  })
  .meta({ id: "WebhookSecret" });

const webhookMembers = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()).meta({ description: "The event types that are delivered." }),
  description: z.string(),
  delivery: z.enum(WEBHOOK_DELIVERY_MODES).meta({
    description: "`each`: a request for each event. `notice`: at most one a second, with the cursor to read from.",
  }),
  version: z.string().meta({ description: "The version of the interface that its payloads speak." }),
  status: z.enum(["enabled", "paused", "disabled"]).meta({
    description: "`paused`: it failed, and one request at a time tries whether it is back; nothing is lost meanwhile.",
  }),
  reason: z.enum(["failing", "gone", "by_hand"]).optional(),
  failing_since: Time.optional(),
  lag_seconds: z.number().meta({ description: "The age of the oldest event that was not attempted yet." }),
  position: z.string().meta({ description: "The cursor in `/v1/events` up to which everything was attempted." }),
  secrets: z.array(webhookSecretSchema),
  created_at: Time,
  updated_at: Time,
};

export const webhookSchema = z.object(webhookMembers).meta({ id: "Webhook" });

export const webhookWithSecretSchema = z
  .object({ ...webhookMembers, secret: z.string().meta({ description: "`whsec_…`: told this once." }) })
  .meta({ id: "WebhookWithSecret" });

export const webhookListSchema = z.object({ data: z.array(webhookSchema) }).meta({ id: "WebhookList" });

const url = z.string().meta({ description: "An https address.", examples: ["https://shop.example.com/plants"] });
const events = z.array(EventTypeName).meta({ description: "All types by default.", minItems: 1 });
const description = z.string().meta({ description: `At most ${WEBHOOK_DESCRIPTION_LENGTH_MAX} characters.` });
const delivery = z.enum(WEBHOOK_DELIVERY_MODES);

export const newWebhookSchema = z
  .object({
    url,
    events: events.optional(),
    description: description.optional(),
    delivery: delivery.optional(),
    from: z.string().optional().meta({ description: "`now` (default), or a cursor of `/v1/events`." }),
  })
  .meta({ id: "WebhookInput" });

export const webhookChangeSchema = z
  .object({
    url: url.optional(),
    events: events.optional(),
    description: description.optional(),
    delivery: delivery.optional(),
    enabled: z.boolean().optional().meta({ description: "`true` sends at once what waits for another attempt." }),
    resume: z.enum(["where_it_stopped", "now"]).optional().meta({
      description: "`now` forgets what waits for another attempt, and what is being replayed.",
    }),
  })
  .meta({ id: "WebhookChange" });

export const secretRollSchema = z
  .object({
    overlap: z
      .string()
      .optional()
      .meta({
        description: "As in `24h` (default); `0` to `7d`.",
        pattern: `^(?:0|${DURATION_PATTERN})$`,
      }),
  })
  .meta({ id: "SecretRoll" });

export const webhookTestSchema = z.object({ type: EventTypeName.optional() }).meta({ id: "WebhookTest" });

export const webhookReplaySchema = z
  .object({
    from: z.string().optional().meta({ description: "A cursor of `/v1/events`, or the id of the first event." }),
    to: z.string().optional().meta({ description: "A cursor, or the id of the last event; up to now by default." }),
    types: events.optional(),
    only: z.enum(["failed", "all"]).optional(),
    events: z
      .array(z.string().meta({ pattern: "^evt_[0-9a-z]{13}$" }))
      .optional()
      .meta({
        description: `Instead: ids of at most ${WEBHOOK_REPLAYED_EVENTS_MAX} events.`,
        minItems: 1,
        maxItems: WEBHOOK_REPLAYED_EVENTS_MAX,
      }),
  })
  .meta({ id: "WebhookReplay" });

export const startedReplaySchema = z.object({ replay: z.string() }).meta({ id: "StartedReplay" });

export const deliverySchema = z
  .object({
    id: z.string(),
    event: z.string(),
    type: z.string(),
    attempt: z.int().min(1),
    status: z.enum(DELIVERY_STATUSES).meta({ description: "`waiting`: it failed, and is attempted again." }),
    http_status: z.int().optional(),
    error: z.string().optional().meta({
      description:
        "`timeout`, `dns`, `address_refused`, `tls`, `connect`, `redirect`, `http_status`, `too_many` (429) …",
    }),
    ms: z.number(),
    at: Time,
    next_at: Time.optional(),
    response_excerpt: z.string().optional().meta({ description: "At most 1 KiB of the answer's body." }),
  })
  .meta({ id: "Delivery" });

export const deliveryPageSchema = z
  .object({ data: z.array(deliverySchema), next_cursor: z.string().nullable() })
  .meta({ id: "DeliveryPage" });

export type Webhook = z.infer<typeof webhookSchema>;
export type WebhookWithSecret = z.infer<typeof webhookWithSecretSchema>;
export type WebhookDelivery = z.infer<typeof deliverySchema>;
