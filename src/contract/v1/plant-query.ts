import { Failure } from "#core/failure.ts";
import type { PlantQuery } from "#core/records.ts";
import { decodeCursor } from "../cursor.ts";
import { PAGE_LIMIT } from "../limits.ts";
import { malformed, readCount, readParameters } from "../parameters.ts";

const PARAMETERS = ["limit", "cursor", "tag", "q", "order"] as const;

interface GivenPlantQuery extends PlantQuery {
  /** As they were given. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Reads the raw query of a list. Throws "address-malformed". */
export function readPlantQuery(query: string): GivenPlantQuery {
  const parameters = readParameters(query, PARAMETERS);
  const { limit, cursor, tag, q, order: named } = parameters;
  const order = readOrder(named);
  return {
    parameters,
    order,
    limit: readCount("limit", limit, PAGE_LIMIT),
    tag,
    q,
    after: cursor === undefined ? undefined : readCursor(order, cursor),
  };
}

/** The query of the page that starts at `cursor`, with the same filters and order. */
export function nextPageQuery({ parameters }: Pick<GivenPlantQuery, "parameters">, cursor: string): string {
  return new URLSearchParams({ ...parameters, cursor }).toString();
}

function readCursor(order: PlantQuery["order"], cursor: string): bigint {
  const position = decodeCursor(order, cursor);
  if (position !== undefined) return position;
  throw new Failure(
    "address-malformed",
    `"cursor" must be the next_cursor of a page that was listed with order=${order}, unaltered`,
  );
}

function readOrder(order = "id"): PlantQuery["order"] {
  if (order === "id" || order === "-created_at") return order;
  throw malformed('"order" must be id or -created_at');
}
