import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import type { RequestDetail, RequestPage } from "#contract/dashboard/requests.ts";
import { useService } from "../page-context.tsx";

const LIVE_MS = 3000;
const PAGE_LENGTH = 50;

/** The filter for every status of 400 and above. */
export const ERROR_STATUSES = "4xx,5xx";

/** The filter of the list. It is part of the address, under the names that the service uses. */
const REQUEST_FILTERS = ["status", "error", "token", "path", "plant", "request_id", "source", "from", "to"] as const;
export type RequestFilter = Readonly<Partial<Record<(typeof REQUEST_FILTERS)[number], string>>>;

export function useRequestFilter() {
  const [search, setSearch] = useSearchParams();
  const filter: RequestFilter = Object.fromEntries(
    REQUEST_FILTERS.flatMap((name) => (search.get(name) ? [[name, search.get(name) ?? ""]] : [])),
  );
  const change = (part: RequestFilter) => {
    const after = { ...filter, ...part };
    setSearch(new URLSearchParams(Object.entries(after).filter(([, value]) => value !== "")));
  };
  return { filter, change, clear: () => setSearch({}) };
}

export function useRequests(filter: RequestFilter, live: boolean) {
  const service = useService();
  return useInfiniteQuery({
    queryKey: ["requests", filter],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ ...filter, limit: String(PAGE_LENGTH) });
      if (pageParam) query.set("cursor", pageParam);
      return service.api<RequestPage>("GET", `/requests?${query}`);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Only the first page is refreshed, so that the list does not move while the reader is further down.
    refetchInterval: ({ state }) => (live && (state.data?.pages.length ?? 0) <= 1 ? LIVE_MS : false),
    placeholderData: (before) => before,
  });
}

export function useRequest(id: string) {
  const service = useService();
  return useQuery({
    queryKey: ["request", id],
    queryFn: () => service.api<RequestDetail>("GET", `/requests/${encodeURIComponent(id)}`),
  });
}

/** Reads the search field: a request id, a plant's id, or the beginning of a path. */
export function searchedFor(text: string): RequestFilter {
  const typed = text.trim();
  const nothing = { request_id: "", plant: "", path: "" };
  if (typed === "") return nothing;
  if (typed.startsWith("req_")) return { ...nothing, request_id: typed };
  if (/^-?\d+$/.test(typed)) return { ...nothing, plant: typed };
  return { ...nothing, path: typed.startsWith("/") ? typed : `/${typed}` };
}

/** A command line that repeats the request. The token was never stored, and of a body at most its beginning. */
export function repeatLine(
  origin: string,
  { method, path, excerpt }: Pick<RequestDetail, "method" | "path" | "excerpt">,
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const body = excerpt === undefined ? [] : ["-H 'Content-Type: application/json'", `--data-binary ${quoted(excerpt)}`];
  const command = `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(origin + path)}`;
  return [command, "-H 'Authorization: Bearer YOUR_TOKEN'", ...body].join(" \\\n  ");
}
