import type { ListQuery } from "#client/page.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { SORTED_ORDERS, type SortedOrder } from "#contract/dashboard/sorted-plants.ts";
import { typedPlantId } from "#contract/plant-id.ts";
import { PLANTS } from "../program/pages.ts";
import { isUnknownPlant } from "./plant-data.ts";

/** The orders of the list. Names and tags are sorted for pages alone, as long as not too many plants match. */
export type PlantOrder = "id" | "-created_at" | SortedOrder;

export interface ShownQuery extends Omit<ListQuery, "order"> {
  readonly order?: PlantOrder | undefined;
  /** The id of the import whose plants are shown, in the order in which it wrote them. There is no search among them. */
  readonly imported?: string | undefined;
}

const ORDERS = ["id", ...SORTED_ORDERS] as const;

export function isSorted(order: PlantOrder | undefined): order is SortedOrder {
  return order !== undefined && order !== "id" && order !== "-created_at";
}

/** The query as programs may send it, for whoever reads all that match. */
function unsorted({ order, ...query }: ShownQuery): ListQuery {
  return { ...query, order: isSorted(order) ? "-created_at" : order };
}

export function listQuery(search: URLSearchParams): ShownQuery {
  const imported = search.get("import") || undefined;
  if (imported !== undefined) return { imported };
  const order = ORDERS.find((each) => each === search.get("order")) ?? "-created_at";
  return { q: search.get("q") || undefined, tag: search.get("tag") ?? undefined, order };
}

export function isFiltering({ q, tag, imported }: Pick<ShownQuery, "q" | "tag" | "imported">): boolean {
  return q !== undefined || tag !== undefined || imported !== undefined;
}

/** The id that is searched for. With a tag chosen a number is part of a name alone. */
export function searchedId({ q = "", tag }: Pick<ListQuery, "q" | "tag">): bigint | undefined {
  return tag === undefined ? typedPlantId(q) : undefined;
}

/** The origins in the addresses of this store's labels, and the store that they name. */
interface ShownStore {
  readonly origins: readonly string[];
  readonly store: string | undefined;
}

/** Turns the address of a label, as scanners type it, into its plant's id. Other texts stay. */
export function searchOfText(text: string, { origins, store }: ShownStore): string {
  const { origin = "", pathname = "", searchParams } = URL.parse(text.trim()) ?? {};
  const id = pathname.startsWith(`${PLANTS}/`) ? typedPlantId(pathname.slice(PLANTS.length + 1)) : undefined;
  const isShown = origins.includes(origin) && (searchParams?.get("store") ?? store) === store;
  return id === undefined || !isShown ? text : String(id);
}

const PAGE_LENGTH = 1000;

/** Every plant that the page's search finds: first the one with the typed id, then those whose names match. */
export async function* matchingPlants(client: PlantstoreClient, query: ShownQuery, signal: AbortSignal) {
  const id = searchedId(query);
  const byId = id === undefined ? undefined : await found(client, id, signal);
  if (byId) yield byId;
  for await (const plant of client.list({ ...unsorted(query), pageSize: PAGE_LENGTH }, { signal })) {
    if (plant.id !== byId?.id) yield plant;
  }
}

/** The plants with these ids. The list holds most of them, unless it was changed after they were selected. */
export async function* selectedPlants(
  client: PlantstoreClient,
  listed: AsyncIterable<StoredPlant>,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): AsyncGenerator<StoredPlant, void> {
  const rest = new Set(ids);
  for await (const plant of listed) {
    if (rest.delete(String(plant.id))) yield plant;
    if (rest.size === 0) return;
  }
  for (const id of rest) {
    const plant = await found(client, BigInt(id), signal);
    if (plant) yield plant;
  }
}

async function found(client: PlantstoreClient, id: bigint, signal: AbortSignal): Promise<StoredPlant | undefined> {
  return client.get(id, { signal }).catch((error) => {
    if (isUnknownPlant(error)) return undefined;
    throw error;
  });
}
