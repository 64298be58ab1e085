import { DASHBOARD_ERRORS } from "#contract/dashboard-errors.ts";
import { ERRORS } from "#contract/errors.ts";

const MEANINGS = new Map(
  [...Object.values(ERRORS), ...Object.values(DASHBOARD_ERRORS)].map(({ error, when }) => [error, when]),
);

/** What a number of the Error shape means, in a few words. */
export function errorMeaning(error: number): string {
  return MEANINGS.get(error) ?? `HTTP status ${Math.floor(error / 100)}`;
}
