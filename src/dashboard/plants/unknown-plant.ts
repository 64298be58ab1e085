import { PlantstoreError } from "#client/error.ts";
import { ERRORS } from "#contract/errors.ts";

/** True if the plant does not exist, or no longer does. */
export function isUnknownPlant(error: unknown): boolean {
  return error instanceof PlantstoreError && error.error === ERRORS["plant-unknown"].error;
}
