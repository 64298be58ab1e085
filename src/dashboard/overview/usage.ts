import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Overview } from "#contract/dashboard/overview.ts";
import type { Usage, UsageBucket, UsageRange } from "#contract/dashboard/usage.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { requestSeenQuery } from "../developer/first-request.ts";
import { type PageContext, useService } from "../program/page-context.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { mayHaveRight } from "../session/session-hint.ts";
import { recentEventsQuery } from "./recent-events.ts";

const RENEWED_MS = 10_000;
export const RANGES = { hour: "Hour", day: "Day", week: "Week", month: "Month", own: "Custom" };

export interface UsageChoice {
  /** "own" is a custom range of days. */
  readonly range: UsageRange | "own";
  /** Days such as 2026-03-01, in the reader's zone. */
  readonly from: string;
  readonly to: string;
  readonly token: string;
}

export function usageChoice(search: URLSearchParams): UsageChoice {
  const asked = search.get("range");
  const [from = "", to = "", token = ""] = ["from", "to", "token"].map((name) => search.get(name) ?? "");
  const range = asked !== null && Object.hasOwn(RANGES, asked) ? (asked as UsageChoice["range"]) : "day";
  return { range, from, to, token };
}

function usageQuery(service: ServiceClient, choice: UsageChoice) {
  return {
    queryKey: ["usage", choice],
    queryFn: () => service.api<Usage>("GET", `/usage?${usageSearch(choice)}`),
  };
}

export function useUsage(choice: UsageChoice, enabled = true) {
  return useQuery({
    ...usageQuery(useService(), choice),
    enabled,
    refetchInterval: RENEWED_MS,
    placeholderData: keepPreviousData,
  });
}

export function usageSearch({ range, from, to, token }: UsageChoice): URLSearchParams {
  const search = new URLSearchParams({ zone_minutes: String(-new Date().getTimezoneOffset()) });
  if (token) search.set("token", token);
  const [first, last] = [startOfDay(from), startOfDay(to)];
  if (range !== "own" || !first) {
    search.set("range", range === "own" ? "day" : range);
    return search;
  }
  search.set("from", first.toISOString());
  if (last) {
    last.setDate(last.getDate() + 1);
    search.set("to", last.toISOString());
  }
  return search;
}

function startOfDay(day: string): Date | undefined {
  const start = new Date(`${day}T00:00:00`);
  return Number.isNaN(start.getTime()) ? undefined : start;
}

/** "Today" is the reader's own day. */
function overviewQuery(service: ServiceClient) {
  return {
    queryKey: ["overview"],
    queryFn: () => {
      const midnight = new Date(service.clock.now());
      midnight.setHours(0, 0, 0, 0);
      return service.api<Overview>("GET", `/overview?since=${encodeURIComponent(midnight.toISOString())}`);
    },
  };
}

export function useOverview() {
  return useQuery({ ...overviewQuery(useService()), refetchInterval: RENEWED_MS });
}

export async function prefetchOverview({ queries, service }: PageContext): Promise<void> {
  await Promise.all([
    mayHaveRight("use tokens") && queries.prefetchQuery(requestSeenQuery(service)),
    queries.prefetchQuery(overviewQuery(service)),
    queries.prefetchQuery(recentEventsQuery(service)),
  ]);
}

export function requestsAddress({ start, end }: Pick<UsageBucket, "start" | "end">, token: string, more = {}): string {
  return `${DEVELOPER}/requests?${new URLSearchParams({ from: start, to: end, ...(token ? { token } : {}), ...more })}`;
}
