import { EVENT_TYPES } from "#core/event.ts";
import { DELIVERY_STATUSES, type DeliveryQuery } from "#core/webhook.ts";
import { decodeCursor } from "../cursor.ts";
import { PAGE_LIMIT } from "../limits.ts";
import { malformed, readCount, readOneOf, readParameters } from "../parameters.ts";
import { NOTICE_TYPE } from "./event.ts";

/** The types of what a webhook endpoint is sent. */
export const DELIVERY_TYPES = [...EVENT_TYPES, NOTICE_TYPE] as const;
/** The id of an event, or of a test event. */
export const EVENT_ID = /^evt_[0-9a-z_]{1,60}$/;

/** Reads the query of the log of deliveries. Throws "address-malformed". */
export function readDeliveryQuery(query: string): DeliveryQuery {
  const { status, type, event, cursor, limit } = readParameters(query, ["status", "type", "event", "cursor", "limit"]);
  return {
    status: status === undefined ? undefined : readOneOf("status", status, DELIVERY_STATUSES),
    type: type === undefined ? undefined : readOneOf("type", type, DELIVERY_TYPES),
    event: event === undefined ? undefined : readEvent(event),
    before: cursor === undefined ? undefined : readDeliveryCursor(cursor),
    limit: readCount("limit", limit, PAGE_LIMIT),
  };
}

function readDeliveryCursor(cursor: string): number {
  const before = Number(decodeCursor("deliveries", cursor));
  if (Number.isSafeInteger(before)) return before;
  throw malformed('"cursor" must be the next_cursor of a page of deliveries, unaltered');
}

function readEvent(id: string): string {
  if (EVENT_ID.test(id)) return id;
  throw malformed('"event" must be the id of an event, such as evt_00000000a1f3c');
}
