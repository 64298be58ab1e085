import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { FirstRequest } from "#contract/dashboard/overview.ts";
import type { Service } from "../api/service.ts";
import { useService } from "../program/page-context.tsx";

const KEY = ["first-request"];
const ASKED_MS = 1000;
/** The service's clock is known to the second. */
const CLOCK_MS = 2000;

export function requestSeenQuery(service: Service) {
  return { queryKey: KEY, queryFn: () => service.api<FirstRequest>("GET", "/first-request") };
}

/** True if a token of this account was ever used. */
export function useRequestSeen() {
  return useQuery(requestSeenQuery(useService()));
}

/** The newest plant since the page was opened, asked for every second until there is one. */
export function useArrival() {
  const service = useService();
  const [since] = useState(() => new Date(service.clock.now() - CLOCK_MS).toISOString());
  const queries = useQueryClient();
  const arrival = useQuery({
    queryKey: [...KEY, since],
    queryFn: () => service.api<FirstRequest>("GET", `/first-request?since=${encodeURIComponent(since)}`),
    refetchInterval: ({ state }) => (state.data?.plant ? false : ASKED_MS),
    gcTime: 0,
  });
  const arrived = arrival.data?.plant != null;
  useEffect(() => {
    if (arrived) void queries.invalidateQueries({ queryKey: KEY, exact: true });
  }, [arrived, queries]);
  return arrival;
}
