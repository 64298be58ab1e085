import type { ListQuery } from "#client/page.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { parsePlantId } from "#contract/plant-id.ts";
import { isUnknownPlant } from "./plant-data.ts";

/** The plants that the page lists, and their order. It is part of the address. */
export interface ListFilter {
  readonly q: string;
  /** "" is the empty tag. */
  readonly tag: string | undefined;
  readonly order: "id" | "-created_at";
}

export function listFilter(search: URLSearchParams): ListFilter {
  const order = search.get("order") === "id" ? "id" : "-created_at";
  return { q: search.get("q") ?? "", tag: search.get("tag") ?? undefined, order };
}

export function isFiltering({ q, tag }: ListFilter): boolean {
  return q !== "" || tag !== undefined;
}

export function listQuery({ q, tag, order }: ListFilter): ListQuery {
  return { order, ...(q === "" ? {} : { q }), ...(tag === undefined ? {} : { tag }) };
}

/** The id that is searched for. With a tag chosen a number is part of a name alone. */
export function searchedId({ q, tag }: ListFilter): bigint | undefined {
  return tag === undefined ? parsePlantId(q.trim()) : undefined;
}

const PAGE_LENGTH = 1000;

/** Every plant that the page's search finds: first the one with the typed id, then those whose names match. */
export async function* matchingPlants(
  client: PlantstoreClient,
  filter: ListFilter,
  signal: AbortSignal,
): AsyncGenerator<StoredPlant, void> {
  const id = searchedId(filter);
  const byId = id === undefined ? undefined : await found(client, id, signal);
  if (byId) yield byId;
  for await (const plant of client.list({ ...listQuery(filter), pageSize: PAGE_LENGTH }, { signal })) {
    if (plant.id !== byId?.id) yield plant;
  }
}

/** The plants with these ids. The search finds most of them, unless it was changed after they were selected. */
export async function* selectedPlants(
  client: PlantstoreClient,
  filter: ListFilter,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): AsyncGenerator<StoredPlant, void> {
  const rest = new Set(ids);
  for await (const plant of matchingPlants(client, filter, signal)) {
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
