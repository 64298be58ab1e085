import { useSearchParams } from "wouter";
import { UsageRange } from "#contract/dashboard.ts";

/** Which span and which token the chart shows, in the address. */
export function useUsageAddress() {
  const [search, setSearch] = useSearchParams();
  const change = (name: "range" | "token", value: string) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (value === "" || (name === "range" && value === "day")) after.delete(name);
      else after.set(name, value);
      return after;
    });
  return { range: UsageRange.catch("day").parse(search.get("range")), token: search.get("token") ?? undefined, change };
}
