import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ComponentType } from "react";

export type LaterName = keyof typeof import("./later-pages.ts");
export type LaterPages = Readonly<Record<LaterName, ComponentType>>;

export function loadLaterPages(): Promise<LaterPages> {
  return import("./later-pages.ts");
}

/** The program of the later pages, which stays in memory for as long as the document is open. */
export const codeQuery = queryOptions({
  queryKey: ["code"],
  queryFn: loadLaterPages,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
});

/** Fetches the later pages ahead, so that they are available if the connection is lost. */
export function preloadPages(queries: QueryClient): Promise<void> {
  return queries.prefetchQuery(codeQuery);
}

/** Stores later pages that are already loaded. The build renders with them, since it cannot wait for a fetch. */
export function keepCode(queries: QueryClient, pages: Partial<LaterPages>): void {
  queries.setQueryData(codeQuery.queryKey, pages as LaterPages);
}
