import type { EventType, PlantEvent } from "#core/event.ts";
import { EXAMPLE_TEXTS } from "#core/plant-members.ts";
import { DELIVERY_STATUSES, WEBHOOK_REPLAYED_EVENTS_MAX, WEBHOOKS_PER_ACCOUNT_MAX } from "#core/webhook.ts";
import { answer, jsonBody, mergePatch, operations } from "../openapi/operation.ts";
import {
  cursorParameter,
  headerParameter,
  limitParameter,
  pathParameter,
  queryParameter,
} from "../openapi/parameter.ts";
import { DELIVERY_TYPES, EVENT_ID } from "./delivery-query.ts";
import { eventBody, NOTICE_TYPE, noticeBody } from "./event.ts";

const AT = Date.UTC(2026, 10, 21, 16, 12, 29, 885);

function event(type: EventType): string {
  const plant = { id: 42n, ...EXAMPLE_TEXTS, createdAt: AT - 86_400_000, updatedAt: AT };
  const previous = type === "plant.changed" ? { ...EXAMPLE_TEXTS, name: "Monstera" } : undefined;
  const example: PlantEvent = { number: 16_862_376n, type, at: AT, plant, previous };
  return eventBody(example);
}

/** The requests that a webhook endpoint gets, by the type of the event. */
const REQUESTS = {
  "plant.created": ["PlantCreatedEvent", "A plant was created", event("plant.created")],
  "plant.changed": ["PlantChangedEvent", "A plant was changed", event("plant.changed")],
  "plant.removed": ["PlantRemovedEvent", "A plant was removed", event("plant.removed")],
  [NOTICE_TYPE]: [
    "EventsAvailable",
    "There are events to read",
    noticeBody("evt_00000000a1f3c_notice", "ZXZlbnRzIDY2MzI3MiAxeG9tazFj", AT),
  ],
} as const;

const SIGNED = [
  headerParameter("webhook-id", "The event's id, the same at each attempt.", "evt_00000000a1f3c"),
  headerParameter("webhook-timestamp", "The time of the attempt, in seconds since 1970.", "1795277549"),
  headerParameter(
    "webhook-signature",
    "`v1,` and the signature in base64; several are apart by a space.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
].map((header) => ({ ...header, required: true }));

function requests(item: (schema: string, request: object) => object): Record<string, object> {
  const items = Object.entries(REQUESTS).map(([type, [schema, summary, body]]) => {
    const request = {
      // Generators would write a group of the same name over the operations.
      tags: ["Webhook requests"],
      summary,
      description:
        "Sent to the account's endpoints that want this type. The tag Webhook requests says how it is verified.",
      security: [],
      parameters: SIGNED,
      requestBody: jsonBody(schema, "The event.", true, JSON.parse(body)),
      responses: {
        "2XX": { description: "The event is taken." },
        "410": { description: "The endpoint is gone, and is disabled." },
      },
    };
    return [type, item(schema, request)] as const;
  });
  return Object.fromEntries(items);
}

/** Generators of clients are told to leave them out (`x-internal`), since some make calls of them that do not compile. */
export function webhookRequests(): Record<string, object> {
  const idOf = (schema: string) => `receive${schema.replace(/Event$/, "")}`;
  return requests((schema, post) => ({ post: { operationId: idOf(schema), ...post, "x-internal": true } }));
}

/** The same as callbacks of the operation that asks for them: some generators keep only schemas that a path leads to. */
const CALLBACKS = requests((_, post) => ({ "{$request.body#/url}": { post } }));

const MANAGING = { scopes: ["webhooks:manage"], route: "webhooks" } as const;
/** The caller may read the plants that it has sent somewhere. */
const SENDING = { scopes: [...MANAGING.scopes, "plants:read"] } as const;
const managing = operations("Webhooks", MANAGING);
const managingOne = operations("Webhooks", {
  ...MANAGING,
  ofPath: pathParameter("id", "As in `we_…`."),
  errors: ["not-found"],
});

export const WEBHOOK_OPERATIONS = {
  listWebhooks: managing("GET /webhooks", {
    summary: "List the webhook endpoints",
    description: "All endpoints of the account, with their state.",
    responses: { "200": answer("All endpoints of the account.", "WebhookList") },
  }),
  createWebhook: managing("POST /webhooks", {
    summary: "Add a webhook endpoint",
    ...SENDING,
    errors: ["account-limit", "cursor-expired"],
    description: `An account has at most ${WEBHOOKS_PER_ACCOUNT_MAX} endpoints; another one is refused with 40902. Adding, changing, enabling and rolling are each done at most 120 times an hour (42901).`,
    requestBody: jsonBody("WebhookInput", "The endpoint."),
    callbacks: CALLBACKS,
    responses: {
      "200": answer("The endpoint with its secret, which is shown only once.", "WebhookWithSecret"),
    },
  }),
  getWebhook: managingOne("GET /webhooks/{id}", {
    summary: "Read a webhook endpoint",
    description: "The endpoint with its state and how far it is behind.",
    responses: { "200": answer("The endpoint.", "Webhook") },
  }),
  changeWebhook: managingOne("PATCH /webhooks/{id}", {
    summary: "Change, disable or enable a webhook endpoint",
    description:
      "`enabled: true` continues where it stopped, or from now on with `resume: now`. A new `url` needs `plants:read` too.",
    requestBody: mergePatch("WebhookChange"),
    responses: { "200": answer("The endpoint as it is now.", "Webhook") },
  }),
  removeWebhook: managingOne("DELETE /webhooks/{id}", {
    summary: "Remove a webhook endpoint",
    description: "Plantstore stops sending events to it.",
    responses: { "204": answer("The endpoint and its log are removed.") },
  }),
  rollWebhookSecret: managingOne("POST /webhooks/{id}/secret", {
    summary: "Roll the signing secret",
    errors: ["account-limit"],
    description:
      "Until the overlap ends, every request is signed with both secrets. Of several rolls at the same time one succeeds, and the others are refused with 40902.",
    requestBody: jsonBody("SecretRoll", "How long the secret before goes on signing.", false),
    responses: {
      "200": answer("The endpoint with its new secret, which is shown only once.", "WebhookWithSecret"),
    },
  }),
  testWebhook: managingOne("POST /webhooks/{id}/test", {
    summary: "Send a test event",
    description: "The event is marked with `test: true`. It is sent once and not retried.",
    requestBody: jsonBody("WebhookTest", "The type of the event.", false),
    responses: { "200": answer("The result of the attempt.", "Delivery") },
  }),
  replayWebhook: managingOne("POST /webhooks/{id}/replay", {
    summary: "Deliver events again",
    ...SENDING,
    errors: ["cursor-expired"],
    description: `A range of the feed, or the ids of at most ${WEBHOOK_REPLAYED_EVENTS_MAX} events. Each keeps its id.`,
    requestBody: jsonBody("WebhookReplay", "The events."),
    responses: { "202": answer("The replay has started.", "StartedReplay") },
  }),
  listWebhookDeliveries: managingOne("GET /webhooks/{id}/deliveries", {
    summary: "List deliveries, newest first",
    errors: ["address-malformed"],
    description: "One entry for each attempt: the newest 1,000 of the last 7 days.",
    parameters: [
      queryParameter(
        "status",
        "Only deliveries with this status. `waiting`: it failed, and its event is sent again at `next_at`. `failed`: it was sent again since, or will not be.",
        { type: "string", enum: [...DELIVERY_STATUSES] },
      ),
      queryParameter("type", "Only events of this type.", { type: "string", enum: [...DELIVERY_TYPES] }),
      queryParameter("event", "Only the event with this id.", { type: "string", pattern: EVENT_ID.source }),
      cursorParameter("Where the page starts: `next_cursor` of the one before."),
      limitParameter("Deliveries on a page."),
    ],
    responses: { "200": answer("A page of the log.", "DeliveryPage") },
  }),
};
