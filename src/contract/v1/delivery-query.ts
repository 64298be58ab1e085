import { DELIVERY_STATUSES, type DeliveryQuery } from "#core/webhook.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../limits.ts";
import { malformed, readCount, readParameters } from "../parameters.ts";

/** Reads the query of the log of deliveries. Throws "address-malformed". */
export function readDeliveryQuery(query: string): DeliveryQuery {
  const { status, type, event, cursor, limit } = readParameters(query, ["status", "type", "event", "cursor", "limit"]);
  return {
    status: status === undefined ? undefined : readStatus(status),
    type,
    event,
    before: cursor === undefined ? undefined : readDeliveryCursor(cursor),
    limit: readCount("limit", limit, { min: 1, max: PAGE_LIMIT_MAX, fallback: PAGE_LIMIT_DEFAULT }),
  };
}

export function encodeDeliveryCursor(before: number): string {
  return Buffer.from(`deliveries ${before}`).toString("base64url");
}

function readDeliveryCursor(cursor: string): number {
  const [, digits] = /^deliveries (\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (digits === undefined) throw malformed('"cursor" must be the next_cursor of a page of deliveries, unaltered');
  return Number(digits);
}

function readStatus(name: string) {
  const status = DELIVERY_STATUSES.find((each) => each === name);
  if (status) return status;
  throw malformed(`"status" must be one of ${DELIVERY_STATUSES.join(", ")}`);
}
