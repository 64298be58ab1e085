import type { QueryClient } from "@tanstack/react-query";
import { PlantstoreError } from "#client/error.ts";
import { ERRORS } from "#contract/errors.ts";

/** The first part of the key of every query of plants. */
export const PLANTS_KEY = "plants";

/** The keys of data that a change of plants changes. */
export const PLANT_DATA = [PLANTS_KEY, "overview"];

/** Must be called after every change of a plant. */
export async function plantsChanged(queries: QueryClient): Promise<void> {
  await Promise.all(PLANT_DATA.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}

/** True if the plant does not exist, or no longer does. */
export function isUnknownPlant(error: unknown): boolean {
  return error instanceof PlantstoreError && error.error === ERRORS["plant-unknown"].error;
}
