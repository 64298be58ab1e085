import { EVENT_TYPES } from "#core/event.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../limits.ts";
import { answer, JSON_BODY_ERRORS, jsonBody, operation, queryParameter } from "../openapi/operation.ts";
import { answerHeaders, schemaReference } from "../openapi/responses.ts";
import { EVENT_WAIT_SECONDS_MAX } from "./event-query.ts";

export function eventPaths(prefix: string): Record<string, object> {
  return {
    [`${prefix}/events`]: { get: listEvents() },
    [`${prefix}/events/test`]: { post: sendTestEvent() },
    [`${prefix}/events/{id}`]: { get: getEvent() },
  };
}

function listEvents(): object {
  const type = { type: "array", items: { type: "string", enum: [...EVENT_TYPES] } };
  return operation("listEvents", {
    tag: "Events",
    summary: "Read or follow the event feed",
    description:
      "What happened to the account's plants, in the order of the commits. Keep `next_cursor` and ask again with it: nothing is skipped and nothing comes twice. With `Accept: text/event-stream` it is a stream of server-sent events, whose `id` is the cursor; each `data` is an Event in one line, and `Last-Event-ID` wins over `cursor`. An account has at most 8 streams; another one is refused with 42901. A cursor older than the events that are kept is refused with 41001: make an export, and go on from its `Events-Cursor`.",
    scope: "plants:read",
    errors: ["address-malformed", "not-acceptable", "cursor-expired"],
    parameters: [
      queryParameter(
        "cursor",
        "Where to continue. Without it: from the oldest event that is kept. `latest`: only events from now on.",
        {
          type: "string",
          minLength: 1,
        },
      ),
      queryParameter("limit", "Events on a page. A page also ends at 4 MiB of text.", {
        type: "integer",
        minimum: 1,
        maximum: PAGE_LIMIT_MAX,
        default: PAGE_LIMIT_DEFAULT,
      }),
      { ...queryParameter("type", "Only events of these types; may be repeated.", type), style: "form", explode: true },
      queryParameter("wait", "Seconds to wait for an event before an empty page is answered.", {
        type: "integer",
        minimum: 0,
        maximum: EVENT_WAIT_SECONDS_MAX,
        default: 0,
      }),
    ],
    responses: {
      "200": {
        description: "A page, or the stream.",
        headers: answerHeaders({ "Cache-Control": "`no-store`." }),
        content: {
          "application/json": { schema: schemaReference("EventPage") },
          "text/event-stream": { schema: schemaReference("EventStream") },
        },
      },
    },
  });
}

function getEvent(): object {
  return operation("getEvent", {
    tag: "Events",
    summary: "Read an event",
    description: "An event of the feed, as long as it is kept; refused with 40404 afterwards.",
    scope: "plants:read",
    errors: ["event-unknown"],
    parameters: [
      { name: "id", in: "path", required: true, description: "As in `evt_00000000a1f3c`.", schema: { type: "string" } },
    ],
    responses: { "200": answer("The event.", { schema: "Event" }) },
  });
}

function sendTestEvent(): object {
  return operation("sendTestEvent", {
    tag: "Events",
    summary: "Send a test event to open streams",
    description:
      "The event is marked with `test: true` and is not stored. It reaches the account's streams on the node that answers.",
    scope: "plants:read",
    errors: JSON_BODY_ERRORS,
    requestBody: jsonBody("WebhookTest", "The type of the event.", false),
    responses: { "200": answer("It was sent.", { schema: "SentTestEvent" }) },
  });
}
