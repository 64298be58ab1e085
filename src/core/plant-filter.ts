import { foldCase } from "./fold.ts";
import type { NewPlant } from "./plant.ts";
import type { PlantChoice } from "./store.ts";
import { isStorableText } from "./text.ts";

/** The plants that a query asks for, in a form that is quick to match against many plants. */
export interface PlantFilter {
  readonly tag: string | undefined;
  /** Case-folded, and not empty. */
  readonly part: string | undefined;
  /** True if every plant passes. */
  readonly open: boolean;
  /** True if no plant can pass, because the filter asks for text that cannot be stored. */
  readonly closed: boolean;
}

export function plantFilter(query: PlantChoice): PlantFilter {
  const part = query.q ? foldCase(query.q) : undefined;
  return {
    tag: query.tag,
    part,
    open: query.tag === undefined && part === undefined,
    closed: !isStorableText(query.tag ?? "") || !isStorableText(part ?? ""),
  };
}

export function passes(filter: PlantFilter, plant: Pick<NewPlant, "name" | "tag">): boolean {
  if (filter.tag !== undefined && plant.tag !== filter.tag) return false;
  return filter.part === undefined || foldCase(plant.name).includes(filter.part);
}
