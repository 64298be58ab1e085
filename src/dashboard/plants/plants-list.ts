import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { StoredPlant } from "#client/plant.ts";
import type { PlantMatches, PlantTags } from "#contract/dashboard/plants.ts";
import { parsePlantId } from "#contract/plant-id.ts";
import { usePage, useService } from "../program/page-context.tsx";
import { listQuery, type PlantsAddress } from "./plants-address.ts";
import { PLANTS_KEY } from "./plants-changed.ts";

const PAGE_LENGTH = 100;
const NEW_ASKED_MS = 10_000;
/** Matches of a search, and tags in use, change slowly. */
const STALE_MS = 60_000;

type Filter = Pick<PlantsAddress, "q" | "tag" | "order">;

/** The plants that the address asks for, page after page. */
export function usePlants(address: Filter) {
  const { plants } = useService();
  const query = listQuery(address);
  return useInfiniteQuery({
    queryKey: [PLANTS_KEY, query],
    queryFn: ({ pageParam, signal }) =>
      plants.page({ ...query, limit: PAGE_LENGTH, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // The rows of before stay until the next search is answered.
    placeholderData: (before) => before,
    refetchOnWindowFocus: false,
  });
}

/** The plant whose id was typed into the search, if there is one: the list itself searches names alone. */
export function usePlantById({ q, tag }: Filter) {
  const { plants } = useService();
  const id = parsePlantId(q.trim());
  return useQuery({
    queryKey: [PLANTS_KEY, "by-id", String(id)],
    queryFn: async ({ signal }): Promise<StoredPlant | null> => {
      if (id === undefined) return null;
      return plants.get(id, { signal }).catch(() => null);
    },
    enabled: id !== undefined && tag === undefined,
  });
}

/** How many plants the search finds, counted by the service. */
export function usePlantMatches({ q, tag }: Filter) {
  const service = useService();
  const search = new URLSearchParams({ ...(q === "" ? {} : { q }), ...(tag === undefined ? {} : { tag }) });
  return useQuery({
    queryKey: [PLANTS_KEY, "matches", q, tag],
    queryFn: () => service.api<PlantMatches>("GET", `/plants/matches?${search}`),
    enabled: q !== "" || tag !== undefined,
    staleTime: STALE_MS,
  });
}

/** Tags of the whole account. */
export function useTagSuggestions(): readonly string[] {
  const service = useService();
  const { data } = useQuery({
    queryKey: [PLANTS_KEY, "tags"],
    queryFn: () => service.api<PlantTags>("GET", "/plants/tags"),
    staleTime: STALE_MS,
  });
  return data?.tags ?? [];
}

/** How many plants were added by others since the list was read; more than a page's worth is not counted further. */
export function useNewPlants(address: Filter, newest: StoredPlant | undefined) {
  const { service, removals } = usePage();
  const { plants } = service;
  const query = listQuery(address);
  return useQuery({
    queryKey: [PLANTS_KEY, "new", query, newest?.createdAt.getTime() ?? 0, String(newest?.id)],
    queryFn: async ({ signal }) => {
      const head = await plants.page({ ...query, limit: PAGE_LENGTH }, { signal });
      // Plants that are being removed here are hidden, and not new.
      const hidden = new Set(removals.current.get()?.ids);
      const later = head.plants.filter(({ createdAt }) => createdAt.getTime() > (newest?.createdAt.getTime() ?? 0));
      return later.filter(({ id }) => !hidden.has(String(id))).length;
    },
    initialData: 0,
    enabled: newest !== undefined && address.order === "-created_at",
    refetchInterval: NEW_ASKED_MS,
  });
}
