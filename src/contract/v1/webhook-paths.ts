import type { EventType, PlantEvent } from "#core/event.ts";
import { DELIVERY_STATUSES, WEBHOOK_REPLAYED_EVENTS_MAX, WEBHOOKS_PER_ACCOUNT_MAX } from "#core/webhook.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../limits.ts";
import {
  answer,
  headerParameter,
  JSON_BODY_ERRORS,
  jsonBody,
  mergePatch,
  operation,
  queryParameter,
} from "../openapi/operation.ts";
import { answerHeaders } from "../openapi/responses.ts";
import { DELIVERY_TYPES, EVENT_ID } from "./delivery-query.ts";
import { eventBody, NOTICE_TYPE, noticeBody } from "./event.ts";

/** All of these operations require a token with the scope `webhooks:manage`. */
export function webhookPaths(prefix: string): Record<string, object> {
  const parameters = [{ name: "id", in: "path", required: true, description: "As in `we_…`.", schema: STRING }];
  return {
    [`${prefix}/webhooks`]: { get: list(), post: create() },
    [`${prefix}/webhooks/{id}`]: { parameters, get: get(), patch: change(), delete: remove() },
    [`${prefix}/webhooks/{id}/secret`]: { parameters, post: roll() },
    [`${prefix}/webhooks/{id}/test`]: { parameters, post: test() },
    [`${prefix}/webhooks/{id}/replay`]: { parameters, post: replay() },
    [`${prefix}/webhooks/{id}/deliveries`]: { parameters, get: deliveries() },
  };
}

const STRING = { type: "string" };

const tag = "Webhooks";
const scope = "webhooks:manage";

function create(): object {
  return operation("createWebhook", {
    tag,
    scope,
    summary: "Add a webhook endpoint",
    errors: [...JSON_BODY_ERRORS, "account-limit"],
    description: `An account has at most ${WEBHOOKS_PER_ACCOUNT_MAX} endpoints; another one is refused with 40902. Adding, changing, enabling and rolling are each done at most 120 times an hour (42901).`,
    requestBody: jsonBody("WebhookInput", "The endpoint."),
    callbacks: callbacks(),
    responses: {
      "200": answer("The endpoint with its secret, which is shown only once.", { schema: "WebhookWithSecret" }),
    },
  });
}

function list(): object {
  return operation("listWebhooks", {
    tag,
    scope,
    summary: "List the webhook endpoints",
    description: "All endpoints of the account, with their state.",
    responses: { "200": answer("All endpoints of the account.", { schema: "WebhookList" }) },
  });
}

function get(): object {
  return operation("getWebhook", {
    tag,
    scope,
    summary: "Read a webhook endpoint",
    errors: ["event-unknown"],
    description: "The endpoint with its state and how far it is behind.",
    responses: { "200": answer("The endpoint.", { schema: "Webhook" }) },
  });
}

function change(): object {
  return operation("changeWebhook", {
    tag,
    scope,
    summary: "Change, disable or enable a webhook endpoint",
    errors: [...JSON_BODY_ERRORS, "event-unknown"],
    description: "`enabled: true` continues where it stopped, or from now on with `resume: now`.",
    requestBody: mergePatch("WebhookChange"),
    responses: { "200": answer("The endpoint as it is now.", { schema: "Webhook" }) },
  });
}

function remove(): object {
  return operation("removeWebhook", {
    tag,
    scope,
    summary: "Remove a webhook endpoint",
    errors: ["event-unknown"],
    description: "Plantstore stops sending events to it.",
    responses: {
      "204": { description: "The endpoint and its log are removed.", headers: answerHeaders() },
    },
  });
}

function roll(): object {
  return operation("rollWebhookSecret", {
    tag,
    scope,
    summary: "Roll the signing secret",
    errors: [...JSON_BODY_ERRORS, "event-unknown"],
    description: "Until the overlap ends, every request is signed with both secrets.",
    requestBody: jsonBody("SecretRoll", "How long the secret before goes on signing.", false),
    responses: {
      "200": answer("The endpoint with its new secret, which is shown only once.", { schema: "WebhookWithSecret" }),
    },
  });
}

function test(): object {
  return operation("testWebhook", {
    tag,
    scope,
    summary: "Send a test event",
    errors: [...JSON_BODY_ERRORS, "event-unknown"],
    description: "The event is marked with `test: true`. It is sent once and not retried.",
    requestBody: jsonBody("WebhookTest", "The type of the event.", false),
    responses: { "200": answer("The result of the attempt.", { schema: "Delivery" }) },
  });
}

function replay(): object {
  return operation("replayWebhook", {
    tag,
    scope,
    summary: "Deliver events again",
    errors: [...JSON_BODY_ERRORS, "event-unknown", "cursor-expired"],
    description: `A range of the feed, or the ids of at most ${WEBHOOK_REPLAYED_EVENTS_MAX} events. Each keeps its id.`,
    requestBody: jsonBody("WebhookReplay", "The events."),
    responses: { "202": answer("The replay has started.", { schema: "StartedReplay" }) },
  });
}

function deliveries(): object {
  return operation("listWebhookDeliveries", {
    tag,
    scope,
    summary: "List deliveries, newest first",
    errors: ["address-malformed", "event-unknown"],
    description: "One entry for each attempt: the newest 1,000 of the last 7 days.",
    parameters: [
      queryParameter("status", "Only deliveries with this status.", { type: "string", enum: [...DELIVERY_STATUSES] }),
      queryParameter("type", "Only events of this type.", { type: "string", enum: [...DELIVERY_TYPES] }),
      queryParameter("event", "Only the event with this id.", { type: "string", pattern: EVENT_ID.source }),
      queryParameter("cursor", "Where the page starts: `next_cursor` of the one before.", {
        type: "string",
        minLength: 1,
      }),
      queryParameter("limit", "Deliveries on a page.", {
        type: "integer",
        minimum: 1,
        maximum: PAGE_LIMIT_MAX,
        default: PAGE_LIMIT_DEFAULT,
      }),
    ],
    responses: { "200": answer("A page of the log.", { schema: "DeliveryPage" }) },
  });
}

const AT = Date.UTC(2026, 10, 21, 16, 12, 29, 885);

function event(type: EventType): PlantEvent {
  const plant = { id: 42n, name: "Monstera deliciosa", tag: "indoor", createdAt: AT - 86_400_000, updatedAt: AT };
  const previous = type === "plant.changed" ? { name: "Monstera", tag: "indoor" } : undefined;
  return { number: 16_862_376n, type, at: AT, plant, previous };
}

const REQUESTS = {
  "plant.created": request("A plant was created", "PlantCreatedEvent", eventBody(event("plant.created"))),
  "plant.changed": request("A plant was changed", "PlantChangedEvent", eventBody(event("plant.changed"))),
  "plant.removed": request("A plant was removed", "PlantRemovedEvent", eventBody(event("plant.removed"))),
  [NOTICE_TYPE]: request(
    "There are events to read",
    "EventsAvailable",
    noticeBody("evt_00000000a1f3c_notice", "ZXZlbnRzIDY2MzI3MiAxeG9tazFj", AT),
  ),
};

/**
 * The requests that a webhook endpoint gets, by the type of the event. Generators of clients are told to leave them out
 * (`x-internal`), since some make calls of them that do not compile.
 */
export function webhookRequests(): Record<string, object> {
  const names = ["receivePlantCreated", "receivePlantChanged", "receivePlantRemoved", "receiveEventsAvailable"];
  return Object.fromEntries(
    Object.entries(REQUESTS).map(([type, post], index) => [
      type,
      { post: { operationId: names[index], ...post, "x-internal": true } },
    ]),
  );
}

/** The same as callbacks of the operation that asks for them: some generators keep only schemas that a path leads to. */
function callbacks(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(REQUESTS).map(([type, post]) => [type, { "{$request.body#/url}": { post } }]),
  );
}

function request(summary: string, schema: string, body: string): object {
  return {
    // Generators would write a group of the same name over the operations.
    tags: ["Webhook requests"],
    summary,
    description:
      "Sent to the account's endpoints that want this type. The tag Webhook requests says how it is verified.",
    security: [],
    parameters: [
      {
        ...headerParameter("webhook-id", "The event's id, the same at each attempt.", "evt_00000000a1f3c"),
        required: true,
      },
      {
        ...headerParameter("webhook-timestamp", "The time of the attempt, in seconds since 1970.", "1795277549"),
        required: true,
      },
      {
        ...headerParameter(
          "webhook-signature",
          "`v1,` and the signature in base64; several are apart by a space.",
          "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        ),
        required: true,
      },
    ],
    requestBody: jsonBody(schema, "The event.", true, JSON.parse(body)),
    responses: {
      "2XX": { description: "The event is taken." },
      "410": { description: "The endpoint is gone, and is disabled." },
    },
  };
}
