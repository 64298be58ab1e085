import { z } from "zod";
import { DURATION_PATTERN } from "#core/duration.ts";
import {
  DELIVERY_STATUSES,
  WEBHOOK_DELIVERY_MODES,
  WEBHOOK_DESCRIPTION_LENGTH_MAX,
  WEBHOOK_REPLAYED_EVENTS_MAX,
} from "#core/webhook.ts";
import { eventTypeSchema } from "./event-schemas.ts";
import { list, nextCursor, object, text, time, times } from "./schemas.ts";

const webhookSecretSchema = object("WebhookSecret", "A secret that signs, without itself.", {
  hint: text("The first and last characters."),
  created_at: times.created_at,
  expires_at: time("The time from which it signs no more; missing for the newest.").optional(),
});

const delivery = z.enum(WEBHOOK_DELIVERY_MODES).meta({
  description: "`each`: a request for each event. `notice`: at most one a second, with the cursor to read from.",
});

const webhookMembers = {
  id: text("The endpoint's id.", { examples: ["we_5f2c…"] }),
  url: text("The address to which events are sent."),
  events: list(text("The type of an event."), "The event types that are delivered."),
  description: text("A text of its owner."),
  delivery,
  version: text("The version of the interface that its payloads speak."),
  status: z.enum(["enabled", "paused", "disabled"]).meta({
    description: "`paused`: it failed, and one request at a time tries whether it is back; nothing is lost meanwhile.",
  }),
  reason: z.enum(["failing", "gone", "by_hand"]).optional().meta({
    description: "The reason for `paused` or `disabled`: failures, an answer 410, or its owner.",
  }),
  failing_since: time("The time since which nothing succeeded, if it fails.").optional(),
  next_at: time("The time of the next request that tries a paused endpoint, if it is paused.").optional(),
  lag_seconds: z.number().meta({ description: "The age of the oldest event that was not attempted yet, in seconds." }),
  position: text("The cursor in `/v1/events` up to which everything was attempted."),
  secrets: list(webhookSecretSchema, "The secrets that sign: one, or two for a while."),
  ...times,
};

export const webhookSchema = object("Webhook", "A webhook endpoint with its state.", webhookMembers);

object("WebhookWithSecret", "A webhook endpoint, with its new secret.", {
  ...webhookMembers,
  secret: text("`whsec_…`: told this once."),
});

object("WebhookList", "All webhook endpoints of the account.", { data: list(webhookSchema, "The endpoints.") });

const url = text("An https address of at most 2,000 characters.", { examples: ["https://shop.example.com/plants"] });
const types = (description: string) => z.array(eventTypeSchema).optional().meta({ description, minItems: 1 });
const description = text(`At most ${WEBHOOK_DESCRIPTION_LENGTH_MAX} characters.`);

export const newWebhookSchema = object("WebhookInput", "A webhook endpoint to add.", {
  url,
  events: types("The types to deliver; all by default."),
  description: description.optional(),
  delivery: delivery.optional(),
  from: z
    .string()
    .optional()
    .meta({ description: "`now` (default), or a cursor of `/v1/events` or the id of an event, to begin after it." }),
});

export const webhookChangeSchema = object("WebhookChange", "Members that are left out stay unchanged.", {
  url: url.optional(),
  events: types("The types to deliver from now on."),
  description: description.optional(),
  delivery: delivery.optional(),
  enabled: z.boolean().optional().meta({
    description: "`false` disables it; `true` enables it and sends at once what waits for another attempt.",
  }),
  resume: z.enum(["where_it_stopped", "now"]).optional().meta({
    description: "`now` forgets what waits for another attempt, and what is being replayed.",
  }),
});

export const secretRollSchema = object("SecretRoll", "A change of the signing secret.", {
  overlap: z
    .string()
    .optional()
    .meta({
      description: "How long the secret before goes on signing, as in `24h` (default); `0` to `7d`.",
      pattern: `^(?:0|${DURATION_PATTERN})$`,
    }),
});

export const webhookTestSchema = object("WebhookTest", "A test event to send; by default `plant.created`.", {
  type: eventTypeSchema.optional(),
});

export const webhookReplaySchema = object(
  "WebhookReplay",
  "Events to deliver again: a range of the feed from `from` on, or `events` alone.",
  {
    from: z.string().optional().meta({ description: "A cursor of `/v1/events`, or the id of the first event." }),
    to: z.string().optional().meta({ description: "A cursor, or the id of the last event; up to now by default." }),
    types: types("The types to deliver again; those of the endpoint by default."),
    only: z
      .enum(["failed", "all"])
      .optional()
      .meta({ description: "`failed`: only what failed for good; `all` (default)." }),
    events: z
      .array(text("The id of an event.", { pattern: "^evt_[0-9a-z]{13}$" }))
      .optional()
      .meta({
        description: `Instead: ids of at most ${WEBHOOK_REPLAYED_EVENTS_MAX} events.`,
        minItems: 1,
        maxItems: WEBHOOK_REPLAYED_EVENTS_MAX,
      }),
  },
);

object("StartedReplay", "A replay that was started.", { replay: text("The id of the replay.") });

const optionalText = (description: string) => z.string().optional().meta({ description });

export const deliverySchema = object("Delivery", "One attempt to deliver one event.", {
  id: text("The id of this attempt.", { examples: ["dlv_5f2c…"] }),
  event: text("The id of the event.", { examples: ["evt_00000000a1f3c"] }),
  type: text("The type of the event, or `events.available`."),
  attempt: z.int().min(1).meta({ description: "The number of the attempt, from 1." }),
  status: z.enum(DELIVERY_STATUSES).meta({ description: "`waiting`: it failed, and is attempted again." }),
  http_status: z
    .int()
    .min(100)
    .max(999)
    .optional()
    .meta({ description: "The status of the answer, if there was one." }),
  error: optionalText(
    "Why it failed: `timeout`, `dns`, `address_refused`, `tls`, `connect`, `redirect`, `http_status`, `too_many` (429) …",
  ),
  ms: z.number().meta({ description: "How long the attempt took, in milliseconds." }),
  at: time("The time of the attempt."),
  next_at: time("The time of the next attempt, if there is to be one.").optional(),
  response_excerpt: optionalText("At most 1 KiB of the answer's body."),
});

export const deliveryPageSchema = object("DeliveryPage", "One page of the log of deliveries.", {
  data: list(deliverySchema, "The attempts of this page, newest first."),
  next_cursor: nextCursor,
});

export type Webhook = z.infer<typeof webhookSchema>;
export type WebhookDelivery = z.infer<typeof deliverySchema>;
