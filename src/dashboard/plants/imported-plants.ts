import { type PlantPage, readPage } from "#client/page.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { ImportRecord } from "#contract/dashboard/imports.ts";
import { useAnswer } from "../api/asking.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { PLANTS } from "../program/pages.ts";
import { matchingPlants, type ShownQuery } from "./matching-plants.ts";
import { IMPORTS_PATH } from "./plant-data.ts";

/** The address of the list with the plants of an import. */
export function importedHref(id: string): string {
  return `${PLANTS}?import=${id}`;
}

const ASKED_MS = 500;

export function useImportRecord(id: string | undefined) {
  return useAnswer<ImportRecord>([IMPORTS_PATH, id], (service) => service.api("GET", `${IMPORTS_PATH}/${id}`), {
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.undo?.state === "running" ? ASKED_MS : false),
  });
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
