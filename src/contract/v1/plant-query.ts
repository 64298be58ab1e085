import { Failure } from "#core/failure.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import type { PlantQuery } from "#core/records.ts";
import { decodeCursor } from "../cursor.ts";
import { SORTED_ORDERS, type SortedOrder } from "../dashboard/sorted-plants.ts";
import { PAGE_LIMIT, PLANT_IDS_MAX } from "../limits.ts";
import { malformed, readCount, readParameters } from "../parameters.ts";

const PARAMETERS = ["limit", "cursor", "tag", "q", "order", "ids"] as const;

interface GivenPlantQuery extends PlantQuery {
  /** The parameters as the client sent them. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The plants to read by their ids, each once, instead of a page. */
  readonly ids: readonly bigint[] | undefined;
  /** A list for a page of the dashboard, in an order that only pages have, from the plant at `offset` on. It replaces all else. */
  readonly sorted:
    | (Pick<PlantQuery, "limit" | "tag" | "q"> & { readonly order: SortedOrder; readonly offset: number })
    | undefined;
}

type Parameters = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

/** Reads the raw query of a list. Throws "address-malformed". */
export function readPlantQuery(query: string, { byPerson = false } = {}): GivenPlantQuery {
  const parameters = readParameters(query, PARAMETERS);
  const { limit, cursor, tag, q, order: named, ids } = parameters;
  const sortedBy = byPerson ? SORTED_ORDERS.find((order) => order === named) : undefined;
  if (sortedBy) return readSortedQuery(parameters, sortedBy);
  const order = readOrder(named);
  return {
    parameters,
    order,
    limit: readCount("limit", limit, PAGE_LIMIT),
    tag,
    q,
    after: cursor === undefined ? undefined : readCursor(order, cursor),
    ids: ids === undefined ? undefined : readIds(ids, parameters),
    sorted: undefined,
  };
}

function readSortedQuery(parameters: Parameters, order: SortedOrder): GivenPlantQuery {
  const { tag, q, cursor, ids } = parameters;
  if (ids !== undefined) readIds(ids, parameters);
  const limit = readCount("limit", parameters.limit, PAGE_LIMIT);
  const offset = cursor === undefined ? 0 : Number(readCursor(order, cursor));
  const sorted = { order, limit, offset, tag, q };
  return { parameters, order: "id", limit, tag, q, after: undefined, ids: undefined, sorted };
}

function readIds(text: string, parameters: object): readonly bigint[] {
  const other = Object.keys(parameters).find((name) => name !== "ids" && name !== "tag");
  if (other) throw malformed(`"ids" may stand beside "tag" alone, and there is "${other}"`);
  const given = text.split(",", PLANT_IDS_MAX + 1);
  if (given.length > PLANT_IDS_MAX) throw malformed(`"ids" may name ${PLANT_IDS_MAX} plants at most`);
  return [...new Set(given.map(readId))];
}

function readId(text: string): bigint {
  const id = int64FromCanonicalDecimal(text);
  if (id !== undefined) return id;
  throw malformed('"ids" must be ids of plants, int64s written plainly with a comma between them, as in 42,43');
}

/** The query of the page that starts at `cursor`, with the same filters and order. */
export function nextPageQuery({ parameters }: Pick<GivenPlantQuery, "parameters">, cursor: string): string {
  return new URLSearchParams({ ...parameters, cursor }).toString();
}

function readCursor(order: PlantQuery["order"] | SortedOrder, cursor: string): bigint {
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
