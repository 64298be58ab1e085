import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { PageQuery } from "#client/page.ts";
import type { StoredPlant } from "#client/plant.ts";
import { holdsFolded } from "#contract/dashboard/fold.ts";
import type { PlantCreators, PlantMatches, PlantTags } from "#contract/dashboard/plants.ts";
import { useAnswer } from "../api/asking.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { type PageContext, usePage, useService } from "../program/page-context.tsx";
import { useSession } from "../session/session.ts";
import { counted } from "../text/numbers.ts";
import { doerText } from "./doer-text.ts";
import { importedPage } from "./imported-plants.ts";
import { isFiltering, listQuery, type ShownQuery, searchedId, searchOfText } from "./matching-plants.ts";
import { PLANTS_KEY } from "./plant-data.ts";
import { hiddenIds } from "./removals.ts";

const PAGE_LENGTH = 100;
const NEW_ASKED_MS = 10_000;
/** Matches of a search, and tags in use, change slowly. */
const STALE_MS = 60_000;

/** A page may ask for orders that programs have not, and that their client does not name. */
function pageQuery(query: ShownQuery, cursor?: string): PageQuery {
  return { ...query, limit: PAGE_LENGTH, cursor } as PageQuery;
}

function plantsQuery(service: ServiceClient, query: ShownQuery) {
  const { imported } = query;
  return infiniteQueryOptions({
    queryKey: [PLANTS_KEY, query],
    queryFn: ({ pageParam: cursor, signal }) =>
      imported === undefined
        ? service.client.page(pageQuery(query, cursor), { signal })
        : importedPage(service, imported, cursor),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Asks for the list of the address beside the session, before the page is drawn: on slow lines that saves a round trip. */
export function prefetchPlants({ queries, service }: PageContext, search: URLSearchParams): Promise<void> {
  return queries.prefetchInfiniteQuery(plantsQuery(service, listQuery(search)));
}

export function usePlants(query: ShownQuery) {
  return useInfiniteQuery({
    ...plantsQuery(useService(), query),
    // The rows of before stay until the next search is answered.
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
}

const NOBODY: ReadonlyMap<string, string> = new Map();

/** Names a plant as it was added: after a removal its id may be another person's plant. */
export function addedKey({ id, createdAt }: StoredPlant): string {
  return `${id} ${createdAt.getTime()}`;
}

/** Says who added each plant, by its `addedKey`. Rows are drawn before; one request asks for those of a page. */
export function useCreators(plants: readonly StoredPlant[]): ReadonlyMap<string, string> {
  const { account } = useSession();
  const [known, setKnown] = useState(NOBODY);
  const asked = plants.filter((plant) => !known.has(addedKey(plant))).slice(0, PAGE_LENGTH);
  const keys = new Map(asked.map((plant) => [String(plant.id), addedKey(plant)]));
  const { data } = useAnswer(
    ["creators", [...keys.values()]],
    async (service) => ({
      keys,
      ...(await service.api<PlantCreators>("GET", `/plants/creators?ids=${[...keys.keys()]}`)),
    }),
    { enabled: keys.size > 0, staleTime: Number.POSITIVE_INFINITY },
  );
  useEffect(() => {
    if (!data) return;
    const named = data.creators.flatMap(({ by, ids }) => {
      const text = by?.id === account.id ? "you" : (doerText(by) ?? "");
      return ids.map((id) => [data.keys.get(id) ?? "", text] as const);
    });
    setKnown((before) => new Map([...before, ...named]));
  }, [data, account.id]);
  return known;
}

/** Gives what is searched for where a text is typed: the id of a plant, where it is the address of its label. */
export function useSearchOfText(): (text: string) => string {
  const { base_url, store } = useSession();
  return (text) => searchOfText(text, { origins: [location.origin, new URL(base_url).origin], store: store?.id });
}

/** The plant whose id was typed into the search, if there is one: the list itself searches names alone. */
export function usePlantById(query: ShownQuery) {
  const id = searchedId(query);
  return useAnswer<StoredPlant | null>(
    [PLANTS_KEY, "by-id", String(id)],
    async ({ client }, signal) => (id === undefined ? null : client.get(id, { signal }).catch(() => null)),
    { enabled: id !== undefined },
  );
}

export function usePlantMatches(query: ShownQuery) {
  const { q, tag } = query;
  const search = new URLSearchParams({ ...(q === undefined ? {} : { q }), ...(tag === undefined ? {} : { tag }) });
  return useAnswer<PlantMatches>(
    [PLANTS_KEY, "matches", q, tag],
    (service) => service.api("GET", `/plants/matches?${search}`),
    { enabled: isFiltering(query) && query.imported === undefined, staleTime: STALE_MS },
  );
}

export function useTagSuggestions() {
  const { tags = [], about } = useTagCounts() ?? {};
  return tags
    .filter(({ tag }) => tag !== "")
    .map(({ tag, count }) => ({ text: tag, remark: `${about ? "about " : ""}${counted(count, "plant")}` }));
}

/** The tag that a typed text is, or the only one that it is when folded as a search is; undefined for another text. */
export function tagOfText(tags: readonly { readonly text: string }[], typed: string): string | undefined {
  const alike = tags.filter(({ text }) => holdsFolded(text, typed) && holdsFolded(typed, text));
  return (alike.find(({ text }) => text === typed) ?? (alike.length === 1 ? alike[0] : undefined))?.text;
}

/** Undefined until they are there. */
function useTagCounts(): PlantTags | undefined {
  const ask = (service: ServiceClient) => service.api<PlantTags>("GET", "/plants/tags");
  return useAnswer([PLANTS_KEY, "tags"], ask, { staleTime: STALE_MS }).data;
}

/** How many plants were added by others since the list was read; more than a page's worth is not counted further. */
export function useNewPlants(query: ShownQuery, shown: readonly StoredPlant[]): number {
  const { removals } = usePage();
  // The first plant need not be the newest: the one whose id is searched for stands above the others.
  const since = shown.reduce((latest, { createdAt }) => Math.max(latest, createdAt.getTime()), 0);
  const added = useAnswer(
    [PLANTS_KEY, "new", query, since],
    async ({ client }, signal) => {
      const head = await client.page(pageQuery(query), { signal });
      // Plants that are being removed here are hidden, and not new.
      const hidden = hiddenIds(removals.current.get());
      return head.plants.filter(({ id, createdAt }) => createdAt.getTime() > since && !hidden.has(String(id))).length;
    },
    {
      initialData: 0,
      // 0 would drop it, and draw it anew, before the page that needs it is complete.
      gcTime: NEW_ASKED_MS,
      enabled: since > 0 && query.order === "-created_at",
      refetchInterval: NEW_ASKED_MS,
    },
  );
  return added.data ?? 0;
}
