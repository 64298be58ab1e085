import { type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import { plantsClient } from "../api/plants-client.ts";
import { listQuery, type PlantsAddress } from "./plants-address.ts";

const KEY = "plants";
const PAGE_LENGTH = 50;

/** The plants that the address asks for, page after page. */
export function usePlants(address: Pick<PlantsAddress, "q" | "tag" | "order">) {
  const query = listQuery(address);
  return useInfiniteQuery({
    queryKey: [KEY, query],
    queryFn: ({ pageParam, signal }) =>
      plantsClient.page(
        { ...query, limit: PAGE_LENGTH, ...(pageParam === null ? {} : { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // What stood there stays until the next search is answered.
    placeholderData: (before) => before,
  });
}

/** To be told after every change of a plant. */
export function plantsChanged(queries: QueryClient): Promise<unknown> {
  void queries.invalidateQueries({ queryKey: ["overview"] });
  return queries.invalidateQueries({ queryKey: [KEY] });
}
