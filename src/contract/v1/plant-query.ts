import type { PlantQuery } from "#core/store.ts";
import { decodeCursor } from "../cursor.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../limits.ts";
import { malformed, type Parameters, readCount, readParameters } from "../parameters.ts";

const PARAMETERS = ["limit", "cursor", "tag", "q", "order"] as const;

/** Reads the raw query of a list. Throws "address-malformed". */
export function readPlantQuery(query: string): PlantQuery {
  const { limit, cursor, tag, q, order } = readParameters(query, PARAMETERS);
  return startingAt(cursor, {
    order: readOrder(order),
    limit: readCount("limit", limit, { min: 1, max: PAGE_LIMIT_MAX, fallback: PAGE_LIMIT_DEFAULT }),
    tag,
    q,
  });
}

/** The query of the page that starts at `cursor`, with the same filters and order. */
export function nextPageQuery(query: string, cursor: string): string {
  const asked: Parameters<(typeof PARAMETERS)[number]> = readParameters(query, PARAMETERS);
  return new URLSearchParams({ ...asked, cursor }).toString();
}

function startingAt(cursor: string | undefined, query: Omit<PlantQuery, "after">): PlantQuery {
  return { ...query, after: cursor === undefined ? undefined : decodeCursor(query.order, cursor) };
}

function readOrder(order = "id"): PlantQuery["order"] {
  if (order === "id" || order === "-created_at") return order;
  throw malformed('"order" must be id or -created_at');
}
