import type { QueryClient } from "@tanstack/react-query";

/** The first part of the key of every query of plants. */
export const PLANTS_KEY = "plants";

/** Must be called after every change of a plant. */
export function plantsChanged(queries: QueryClient): Promise<unknown> {
  void queries.invalidateQueries({ queryKey: ["overview"] });
  return queries.invalidateQueries({ queryKey: [PLANTS_KEY] });
}
