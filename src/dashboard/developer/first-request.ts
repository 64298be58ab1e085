import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FirstRequest } from "#contract/dashboard.ts";
import { serviceNow } from "../api/clock.ts";
import { api } from "../api/request.ts";

const ASKED_MS = 1000;
/** The clock of the service is known to the second. */
const CLOCK_MS = 2000;

/** Whether anything was ever sent with a token of this account. Asked once a page. */
export function useRequestSeen() {
  return useQuery({
    queryKey: ["first-request"],
    queryFn: () => api("GET", "/first-request", FirstRequest),
  });
}

/** What arrived since the page was opened, asked every second until a plant did. */
export function useArrival() {
  const [since] = useState(() => new Date(serviceNow() - CLOCK_MS).toISOString());
  return useQuery({
    queryKey: ["first-request", since],
    queryFn: () => api("GET", `/first-request?since=${encodeURIComponent(since)}`, FirstRequest),
    refetchInterval: ({ state }) => (state.data?.plant ? false : ASKED_MS),
    gcTime: 0,
  });
}
