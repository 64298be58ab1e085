import type { RecentEventPage } from "#contract/dashboard/events.ts";
import type { ServiceClient } from "../api/service-client.ts";

export const RECENT_SHOWN = 8;

export function recentEventsQuery(service: ServiceClient) {
  return {
    queryKey: ["/events", "recent"],
    queryFn: () => service.api<RecentEventPage>("GET", `/events?limit=${RECENT_SHOWN}`),
  };
}
