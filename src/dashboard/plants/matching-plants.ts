import type { StoredPlant } from "#client/plant.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { parsePlantId } from "#contract/plant-id.ts";
import { listQuery, type PlantsAddress } from "./plants-address.ts";
import { isUnknownPlant } from "./unknown-plant.ts";

const PAGE_LENGTH = 1000;

/** Every plant that the page's search finds: first the one with the typed id, then those whose names match. */
export async function* matchingPlants(
  client: PlantstoreClient,
  address: Pick<PlantsAddress, "q" | "tag" | "order">,
  signal: AbortSignal,
): AsyncGenerator<StoredPlant, void> {
  const id = address.tag === undefined ? parsePlantId(address.q.trim()) : undefined;
  const byId = id === undefined ? undefined : await found(client, id, signal);
  if (byId) yield byId;
  for await (const plant of client.list({ ...listQuery(address), pageSize: PAGE_LENGTH }, { signal })) {
    if (plant.id !== byId?.id) yield plant;
  }
}

/** The plants with these ids. The search finds most of them, unless it was changed after they were selected. */
export async function* selectedPlants(
  client: PlantstoreClient,
  address: Pick<PlantsAddress, "q" | "tag" | "order">,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): AsyncGenerator<StoredPlant, void> {
  const rest = new Set(ids);
  for await (const plant of matchingPlants(client, address, signal)) {
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
