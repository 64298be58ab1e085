import { DELIVERY_STATUSES, WEBHOOK_REPLAYED_EVENTS_MAX, WEBHOOKS_PER_ACCOUNT_MAX } from "#core/webhook.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../limits.ts";
import { answer, jsonBody, queryParameter } from "../openapi/operation.ts";
import { answerHeaders, REFUSED } from "../openapi/responses.ts";
import { DELIVERY_TYPES } from "./delivery-query.ts";

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

interface Described {
  readonly description: string;
  readonly [member: string]: unknown;
}

function operation(operationId: string, summary: string, { description, ...more }: Described): object {
  const needed = `${description} Needs the scope \`webhooks:manage\`.`;
  return { operationId, tags: ["Webhooks"], summary, description: needed, ...more };
}

function create(): object {
  return operation("createWebhook", "Add a webhook endpoint", {
    description: `An account has at most ${WEBHOOKS_PER_ACCOUNT_MAX} endpoints; another one is refused with 40902. Adding, changing, enabling and rolling are each done at most 120 times an hour (42901).`,
    requestBody: jsonBody("WebhookInput"),
    responses: {
      "200": answer("The endpoint with its secret, which is shown only once.", { schema: "WebhookWithSecret" }),
      ...REFUSED,
    },
  });
}

function list(): object {
  return operation("listWebhooks", "List the webhook endpoints", {
    description: "All endpoints of the account, with their state.",
    responses: { "200": answer("All endpoints of the account.", { schema: "WebhookList" }), ...REFUSED },
  });
}

function get(): object {
  return operation("getWebhook", "Read a webhook endpoint", {
    description: "The endpoint with its state and how far it is behind.",
    responses: { "200": answer("The endpoint.", { schema: "Webhook" }), ...REFUSED },
  });
}

function change(): object {
  return operation("changeWebhook", "Change, disable or enable a webhook endpoint", {
    description: "`enabled: true` continues where it stopped, or from now on with `resume: now`.",
    requestBody: jsonBody("WebhookChange"),
    responses: { "200": answer("The endpoint as it is now.", { schema: "Webhook" }), ...REFUSED },
  });
}

function remove(): object {
  return operation("removeWebhook", "Remove a webhook endpoint", {
    description: "Plantstore stops sending events to it.",
    responses: {
      "204": { description: "The endpoint and its log are removed.", headers: answerHeaders() },
      ...REFUSED,
    },
  });
}

function roll(): object {
  return operation("rollWebhookSecret", "Roll the signing secret", {
    description: "Until the overlap ends, every request is signed with both secrets.",
    requestBody: jsonBody("SecretRoll", false),
    responses: {
      "200": answer("The endpoint with its new secret, which is shown only once.", { schema: "WebhookWithSecret" }),
      ...REFUSED,
    },
  });
}

function test(): object {
  return operation("testWebhook", "Send a test event", {
    description: "The event is marked with `test: true`. It is sent once and not retried.",
    requestBody: jsonBody("WebhookTest", false),
    responses: { "200": answer("The result of the attempt.", { schema: "Delivery" }), ...REFUSED },
  });
}

function replay(): object {
  return operation("replayWebhook", "Deliver events again", {
    description: `A range of the feed, or the ids of at most ${WEBHOOK_REPLAYED_EVENTS_MAX} events. Each keeps its id.`,
    requestBody: jsonBody("WebhookReplay"),
    responses: { "202": answer("The replay has started.", { schema: "StartedReplay" }), ...REFUSED },
  });
}

function deliveries(): object {
  return operation("listWebhookDeliveries", "List deliveries, newest first", {
    description: "One entry for each attempt: the newest 1,000 of the last 7 days.",
    parameters: [
      queryParameter("status", "Only deliveries with this status.", { type: "string", enum: [...DELIVERY_STATUSES] }),
      queryParameter("type", "Only events of this type.", { type: "string", enum: [...DELIVERY_TYPES] }),
      queryParameter("event", "Only the event with this id.", STRING),
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
    responses: { "200": answer("A page of the log.", { schema: "DeliveryPage" }), ...REFUSED },
  });
}
