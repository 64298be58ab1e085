import type { QueryKey, UseInfiniteQueryResult, UseQueryOptions } from "@tanstack/react-query";
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import type { RecordPage } from "#contract/dashboard/fields.ts";
import { usePage, useService } from "../program/page-context.tsx";
import type { ServiceClient } from "./service-client.ts";

/** The service's answer to `ask`. It is kept under the key, and asked for anew by everything that invalidates the key. */
export function useAnswer<Data>(
  queryKey: QueryKey,
  ask: (service: ServiceClient, signal: AbortSignal) => Promise<Data>,
  options: Omit<UseQueryOptions<Data>, "queryKey" | "queryFn"> = {},
) {
  const service = useService();
  return useQuery({ queryKey, queryFn: ({ signal }) => ask(service, signal), ...options });
}

/**
 * Asks for the next page. A renewal that is under way ends first: the library would cancel it, and keep the pages of before.
 * `isFetching` is to be read while drawing, or the library does not draw anew when it changes.
 */
export async function fetchMore(isFetching: boolean, fetchNextPage: UseInfiniteQueryResult["fetchNextPage"]) {
  if (isFetching) await fetchNextPage({ cancelRefetch: false });
  await fetchNextPage({ cancelRefetch: false });
}

const LIVE_MS = 2000;

/** The records at a path below /dashboard/api, the newest first. A live list adds new ones by itself, unless it is held. */
export function usePages<Page extends RecordPage<unknown>>(
  path: string,
  filter: Readonly<Record<string, string>>,
  live = false,
  held = false,
) {
  const service = useService();
  const query = useInfiniteQuery({
    queryKey: [path, filter],
    queryFn: ({ pageParam }) => {
      const search = new URLSearchParams({ ...filter, ...(pageParam ? { cursor: pageParam } : {}) });
      return service.api<Page>("GET", `${path}?${search}`);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Only the first page is refreshed, so that the list does not move while the reader is further down.
    refetchInterval: ({ state }) => (live && !held && (state.data?.pages.length ?? 0) <= 1 ? LIVE_MS : false),
    refetchOnWindowFocus: !held,
    placeholderData: keepPreviousData,
  });
  // The first rows are drawn in parts, so that a slow device responds in between.
  const drawn = useDeferredValue(query.data !== undefined, false);
  const pages = drawn ? query.data?.pages : undefined;
  const rows = pages?.flatMap(({ data }) => data) as Page["data"][number][] | undefined;
  return { query, rows };
}

/**
 * The records of a log, which is live unless its reader turns that off. While the list is held it does not change, so that
 * no row moves under the pointer; the newest records are then asked for apart.
 */
export function useLivePages<Page extends RecordPage<unknown>>(path: string, filter: Readonly<Record<string, string>>) {
  const { queries } = usePage();
  const [live, setLive] = useState(true);
  const [heldAt, setHeldAt] = useState<number>();
  const held = live && heldAt !== undefined;
  const list = usePages<Page>(path, filter, live, held);
  const { query } = list;
  // Further down nothing is renewed.
  const isRenewed = query.data?.pages.length === 1;
  const newest = useAnswer(
    [path, filter, "newest", heldAt],
    (service) => service.api<Page>("GET", `${path}?${new URLSearchParams(filter)}`),
    { enabled: held && isRenewed, refetchInterval: LIVE_MS, gcTime: 0 },
  );
  const hold = (holds: boolean) => {
    setHeldAt(holds ? performance.now() : undefined);
    // An answer that is under way would still move the rows.
    const queryKey = [path, filter];
    if (holds && isRenewed && !query.isFetchingNextPage) void queries.cancelQueries({ queryKey, exact: true });
    if (!holds && held && isRenewed) void query.refetch();
  };
  return { ...list, live, setLive, hold, newest: held ? (newest.data?.data as Page["data"] | undefined) : undefined };
}

export interface ChangeOptions<Answer, Form = unknown> {
  /** The first members of the keys under which changed data is kept. All of it is asked for anew. */
  readonly changes?: readonly string[];
  /** `renewed` resolves when that is done. Also called if the component that made the change is gone. */
  readonly done?: (answer: Answer, renewed: Promise<unknown>, form: Form) => unknown;
}

/** A change of what the service keeps. Its answer may hold a secret, and is not kept. */
export function useChange<Form = void, Answer = unknown>(
  change: (service: ServiceClient, form: Form) => Promise<Answer>,
  { changes = [], done }: ChangeOptions<Answer, Form> = {},
) {
  const { service, queries } = usePage();
  return useMutation({
    mutationFn: (form: Form) => change(service, form),
    gcTime: 0,
    onSuccess: (answer, form) => {
      const renewed = Promise.all(changes.map((key) => queries.invalidateQueries({ queryKey: [key] })));
      return done?.(answer, renewed, form);
    },
  });
}
