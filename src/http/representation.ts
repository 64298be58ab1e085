import Negotiator from "negotiator";
import { BULK_TYPES } from "#contract/bulk-type.ts";
import { Failure } from "#core/failure.ts";

/** The media types of a list of plants. The first one is sent unless `Accept` prefers another. */
export const LIST_TYPES = ["application/json", ...BULK_TYPES] as const;

/**
 * Chooses from `offered` by `Accept` as in RFC 9110, 12.5.1. A missing or empty `Accept` allows all. Throws
 * "not-acceptable".
 */
export function chooseRepresentation<Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  // Some clients name the charset. Every answer is in UTF-8.
  const offers = new Map(offered.flatMap((type) => [type, `${type};charset=utf-8`].map((offer) => [offer, type])));
  const negotiator = new Negotiator({ headers: { accept: accept?.trim() || undefined } });
  const chosen = offers.get(negotiator.mediaType([...offers.keys()]) ?? "");
  if (chosen) return chosen;
  throw new Failure("not-acceptable", `"Accept" allows none of the types that are offered: ${offered.join(", ")}`, {
    headers: { Vary: "Accept" },
  });
}
