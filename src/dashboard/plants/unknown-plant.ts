import { PlantstoreError } from "#client/error.ts";
import { ERRORS } from "#contract/errors.ts";

/** True if there is no such plant, or no longer. */
export function isUnknownPlant(error: unknown): boolean {
  return error instanceof PlantstoreError && error.error === ERRORS["plant-unknown"].error;
}
