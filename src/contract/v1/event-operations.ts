import { EVENT_TYPES } from "#core/event.ts";
import { answer, jsonBody, operations } from "../openapi/operation.ts";
import {
  countParameter,
  cursorParameter,
  limitParameter,
  pathParameter,
  queryParameter,
} from "../openapi/parameter.ts";
import { EVENT_ORDERS, EVENT_WAIT } from "./event-query.ts";

const operation = operations("Events", { scopes: ["plants:read"], route: "events" });
/** Streams get what it sends as if it had happened. */
const writing = operations("Events", { scopes: ["plants:write"], route: "events" });
const TYPES = { type: "array", items: { type: "string", enum: [...EVENT_TYPES] } };

export const EVENT_OPERATIONS = {
  listEvents: operation("GET /events", {
    summary: "Read or follow the event feed",
    description:
      "What happened to the account's plants, in the order of the commits. Keep `next_cursor` and ask again with it: nothing is skipped and nothing comes twice. With `Accept: text/event-stream` it is a stream of server-sent events, whose `id` is the cursor; each `data` is an Event in one line, and `Last-Event-ID` wins over `cursor`. An `Accept` that allows neither is refused with 40601. An account has at most 8 streams; another one is refused with 42901. Events are kept for as long as the service says (`EVENTS_KEPT`, 30 days by default); a cursor older than that is refused with 41001: make an export, and go on from its `Events-Cursor`.",
    errors: ["address-malformed", "not-acceptable", "cursor-expired"],
    parameters: [
      cursorParameter(
        "Where to continue: a cursor, or the id of an event, to go on after it. Without it: from the oldest event that is kept. `latest`: only events from now on.",
      ),
      limitParameter("Events on a page. A page also ends at 4 MiB of text."),
      {
        ...queryParameter("type", "Only events of these types; may be repeated.", TYPES),
        style: "form",
        explode: true,
      },
      queryParameter("plant", "Only events of the plants that have or had this id: its history.", {
        type: "integer",
        format: "int64",
      }),
      queryParameter(
        "order",
        "`-timestamp` is from the newest event back, as pages alone and without `wait`. `has_more` then says whether there are older ones.",
        { type: "string", enum: [...EVENT_ORDERS], default: "timestamp" },
      ),
      countParameter("wait", "Seconds to wait for an event before an empty page is answered.", EVENT_WAIT),
    ],
    responses: {
      "200": answer(
        "A page, or the stream.",
        { "application/json": ["EventPage"], "text/event-stream": ["EventStream"] },
        { headers: { "Cache-Control": "`no-store`." } },
      ),
    },
  }),
  sendTestEvent: writing("POST /events/test", {
    summary: "Send a test event to open streams",
    description:
      "The event is marked with `test: true` and is not stored. It reaches the account's streams on the node that answers.",
    requestBody: jsonBody("WebhookTest", "The type of the event.", false),
    responses: { "200": answer("It was sent.", "SentTestEvent") },
  }),
  getEvent: operation("GET /events/{id}", {
    summary: "Read an event",
    description: "An event of the feed, as long as it is kept; refused with 40404 afterwards.",
    errors: ["not-found"],
    parameters: [pathParameter("id", "As in `evt_00000000a1f3c`.")],
    responses: { "200": answer("The event.", "Event") },
  }),
};
