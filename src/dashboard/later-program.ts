import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ComponentType } from "react";

export type LaterName = keyof typeof import("./later-pages.ts");
export type LaterPages = Readonly<Record<LaterName, ComponentType>>;

export function loadLaterPages(): Promise<LaterPages> {
  return import("./later-pages.ts");
}

/** The program of the later pages, which is kept for as long as the page lives. */
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

/** The same for a build, which has their program at hand. */
export function keepCode(queries: QueryClient, pages: Partial<LaterPages>): void {
  queries.setQueryData(codeQuery.queryKey, pages as LaterPages);
}
