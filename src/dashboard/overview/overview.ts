import { useQuery } from "@tanstack/react-query";
import { Overview, Usage, type UsageRange } from "#contract/dashboard.ts";
import { serviceNow } from "../api/clock.ts";
import { api } from "../api/request.ts";

const RENEWED_MS = 10_000;

/** "Today" is the reader's. */
export function useOverview() {
  return useQuery({
    queryKey: ["overview"],
    queryFn: () => api("GET", `/overview?since=${encodeURIComponent(startOfDay(serviceNow()))}`, Overview),
    refetchInterval: RENEWED_MS,
  });
}

export function useUsage(range: UsageRange, token: string | undefined) {
  return useQuery({
    queryKey: ["usage", range, token ?? "all"],
    queryFn: () => api("GET", `/usage?${usageSearch(range, token)}`, Usage),
    refetchInterval: RENEWED_MS,
    placeholderData: (before) => before,
  });
}

function usageSearch(range: UsageRange, token: string | undefined): URLSearchParams {
  const zone_minutes = String(-new Date().getTimezoneOffset());
  return new URLSearchParams({ range, zone_minutes, ...(token === undefined ? {} : { token }) });
}

function startOfDay(now: number): string {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}
