import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { FirstRequest } from "#contract/dashboard/overview.ts";
import { useAnswer } from "../api/asking.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { usePage, useService } from "../program/page-context.tsx";
import { useMay } from "../session/session.ts";

const KEY = ["first-request"];

export function requestSeenQuery(service: ServiceClient) {
  return { queryKey: KEY, queryFn: () => service.api<FirstRequest>("GET", "/first-request") };
}

/**
 * True if this store ever had a request or a plant, which stays true. An answer from before that knew of none is not
 * returned: it may be over, and pages keep to the first one that they get.
 */
export function useRequestSeen() {
  const enabled = useMay()("use tokens");
  const query = useQuery({
    ...requestSeenQuery(useService()),
    enabled,
    staleTime: ({ state }) => (state.data?.requested ? Number.POSITIVE_INFINITY : 0),
  });
  return { ...query, data: query.data?.seen || query.isFetchedAfterMount ? query.data : undefined };
}

/** The newest plant since the page was opened, asked for every second until there is one. */
export function useArrival() {
  const { service, queries } = usePage();
  // The service's clock is known to the second.
  const [since] = useState(() => new Date(service.clock.now() - 2000).toISOString());
  const arrival = useAnswer<FirstRequest>(
    [...KEY, since],
    () => service.api("GET", `/first-request?since=${encodeURIComponent(since)}`),
    { refetchInterval: ({ state }) => (state.data?.plant ? false : 1000), gcTime: 0 },
  );
  const { data } = arrival;
  // Kept in the cache, because the next page would otherwise show no request until it has asked again.
  useEffect(() => {
    if (data?.plant) queries.setQueryData(KEY, data);
  }, [data, queries]);
  return data;
}
