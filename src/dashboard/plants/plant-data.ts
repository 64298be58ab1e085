import type { QueryClient } from "@tanstack/react-query";
import { PlantstoreError } from "#client/error.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";

/** The first part of the key of every query of plants. */
export const PLANTS_KEY = "plants";

/** The list of removed plants, which is kept under its path. */
export const REMOVED_PATH = "/plants/removed";

/** The imports that can be undone, which are kept under their path. */
export const IMPORTS_PATH = "/imports";

/** The keys of data that a change of plants changes. */
export const PLANT_DATA = [PLANTS_KEY, REMOVED_PATH, "overview", IMPORTS_PATH];

/** Must be called after every change of a plant. */
export async function plantsChanged(queries: QueryClient): Promise<void> {
  await Promise.all(PLANT_DATA.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}

/** True if the plant does not exist, or no longer does. */
export function isUnknownPlant(error: unknown): boolean {
  return error instanceof PlantstoreError && error.error === ERROR_NUMBERS["plant-unknown"];
}

/** True if somebody has changed the plant since its version was read. */
export function isChangedPlant(error: unknown): boolean {
  return error instanceof PlantstoreError && error.error === ERROR_NUMBERS["precondition-failed"];
}

/**
 * Acts on each plant, several at a time, and tells now and then how many are done. One that somebody else has removed
 * counts as done. Resolves with those that failed, and the last reason.
 */
export async function forEachPlant(
  ids: readonly string[],
  act: (id: bigint) => Promise<unknown>,
  onCount: (done: number) => void,
): Promise<{ readonly failed: readonly string[]; readonly cause: unknown }> {
  const waiting = [...ids].reverse();
  const failed: string[] = [];
  let cause: unknown;
  let done = 0;
  const work = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      try {
        await act(BigInt(id));
      } catch (error) {
        if (!isUnknownPlant(error)) {
          failed.push(id);
          cause = error;
        }
      }
      if (++done % 50 === 0) onCount(done);
    }
  };
  // Browsers send this many requests to a host at a time.
  await Promise.all(Array.from({ length: 6 }, work));
  return { failed, cause };
}
