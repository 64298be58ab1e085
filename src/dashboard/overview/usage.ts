import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import type { Overview } from "#contract/dashboard/overview.ts";
import type { Usage, UsageRange } from "#contract/dashboard/usage.ts";
import type { Service } from "../api/service.ts";
import { requestSeenQuery } from "../developer/first-request.ts";
import { type PageContext, useService } from "../program/page-context.tsx";

const RENEWED_MS = 10_000;
const RANGES: readonly UsageRange[] = ["hour", "day", "week", "month"];

/** The time and the token of the figures. Both are part of the address. */
export interface UsageAddress {
  /** "own" is a custom range of days. */
  readonly range: UsageRange | "own";
  /** Days such as 2026-03-01, in the reader's zone. */
  readonly from: string;
  readonly to: string;
  readonly token: string;
}

function usageAddress(search: URLSearchParams): UsageAddress {
  const asked = search.get("range");
  return {
    range: asked === "own" ? "own" : (RANGES.find((range) => range === asked) ?? "day"),
    from: search.get("from") ?? "",
    to: search.get("to") ?? "",
    token: search.get("token") ?? "",
  };
}

export function useUsageAddress() {
  const [search, setSearch] = useSearchParams();
  const address = usageAddress(search);
  const change = (part: Partial<UsageAddress>) => {
    const after = { ...address, ...part };
    const own = after.range === "own" ? { from: after.from, to: after.to } : {};
    const entries = Object.entries({ range: after.range === "day" ? "" : after.range, token: after.token, ...own });
    setSearch(new URLSearchParams(entries.filter(([, value]) => value !== "")));
  };
  return { address, change };
}

function usageQuery(service: Service, address: UsageAddress) {
  return {
    queryKey: ["usage", address],
    queryFn: () => service.api<Usage>("GET", `/usage?${usageSearch(address)}`),
  };
}

export function useUsage(address: UsageAddress) {
  return useQuery({
    ...usageQuery(useService(), address),
    refetchInterval: RENEWED_MS,
    placeholderData: (before) => before,
  });
}

export function usageSearch({ range, from, to, token }: UsageAddress): URLSearchParams {
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
function overviewQuery(service: Service) {
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

/** Requests everything that the Overview shows. `search` is the query of its address. */
export async function prefetchOverview({ queries, service }: PageContext, search: URLSearchParams): Promise<void> {
  await Promise.all([
    queries.prefetchQuery(requestSeenQuery(service)),
    queries.prefetchQuery(overviewQuery(service)),
    queries.prefetchQuery(usageQuery(service, usageAddress(search))),
  ]);
}
