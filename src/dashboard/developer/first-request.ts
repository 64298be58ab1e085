import { useEffect, useState } from "react";
import type { FirstRequest } from "#contract/dashboard/overview.ts";
import { useAnswer } from "../api/asking.ts";
import type { Service } from "../api/service.ts";
import { usePage } from "../program/page-context.tsx";

const KEY = ["first-request"];
const ASKED_MS = 1000;
/** The service's clock is known to the second. */
const CLOCK_MS = 2000;

export function requestSeenQuery(service: Service) {
  return { queryKey: KEY, queryFn: () => service.api<FirstRequest>("GET", "/first-request") };
}

/** True if a token of this account was ever used. */
export function useRequestSeen() {
  return useAnswer(KEY, (service) => requestSeenQuery(service).queryFn());
}

/** The newest plant since the page was opened, asked for every second until there is one. */
export function useArrival() {
  const { service, queries } = usePage();
  const [since] = useState(() => new Date(service.clock.now() - CLOCK_MS).toISOString());
  const arrival = useAnswer<FirstRequest>(
    [...KEY, since],
    () => service.api("GET", `/first-request?since=${encodeURIComponent(since)}`),
    { refetchInterval: ({ state }) => (state.data?.plant ? false : ASKED_MS), gcTime: 0 },
  );
  const arrived = arrival.data?.plant != null;
  useEffect(() => {
    if (arrived) void queries.invalidateQueries({ queryKey: KEY, exact: true });
  }, [arrived, queries]);
  return arrival.data;
}
