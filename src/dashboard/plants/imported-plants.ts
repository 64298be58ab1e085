import { type PlantPage, readPage } from "#client/page.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { PLANTS } from "../program/pages.ts";
import { matchingPlants, type ShownQuery } from "./matching-plants.ts";

/** The address of the list with the plants of an import. */
export function importedHref(id: string): string {
  return `${PLANTS}?import=${id}`;
}

/** A page of the plants that the import wrote, as far as they are still there. */
export async function importedPage(service: ServiceClient, id: string, cursor?: string | null): Promise<PlantPage> {
  const search = cursor ? `?${new URLSearchParams({ cursor })}` : "";
  return readPage(await service.text(`/imports/${encodeURIComponent(id)}/plants${search}`));
}

/** Every plant of the list: those of the import that it shows, or those that its search finds. */
export async function* listedPlants(
  service: ServiceClient,
  query: ShownQuery,
  signal: AbortSignal,
): AsyncGenerator<StoredPlant, void> {
  if (query.imported === undefined) return yield* matchingPlants(service.client, query, signal);
  for (let cursor: string | null | undefined; cursor !== null; ) {
    signal.throwIfAborted();
    const { plants, nextCursor } = await importedPage(service, query.imported, cursor);
    yield* plants;
    cursor = nextCursor;
  }
}
