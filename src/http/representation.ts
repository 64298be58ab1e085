import Negotiator from "negotiator";
import { Failure } from "#core/failure.ts";

/** What a list of plants can be sent as; the first one unless `Accept` prefers another. */
const REPRESENTATIONS = ["application/json", "application/x-ndjson", "text/csv"] as const;
export type Representation = (typeof REPRESENTATIONS)[number];

/** Each also with the parameter that some clients name: every answer is in UTF-8. */
const OFFERS = new Map(
  REPRESENTATIONS.flatMap((type) => [type, `${type};charset=utf-8`].map((offer) => [offer, type])),
);

/** By `Accept` as in RFC 9110, 12.5.1; none, or an empty one, takes anything. Throws "not-acceptable". */
export function chooseRepresentation(accept: string | undefined): Representation {
  const negotiator = new Negotiator({ headers: { accept: accept?.trim() || undefined } });
  const chosen = OFFERS.get(negotiator.mediaType([...OFFERS.keys()]) ?? "");
  if (chosen) return chosen;
  throw new Failure("not-acceptable", `"Accept" allows none of what there is: ${REPRESENTATIONS.join(", ")}`, {
    headers: { Vary: "Accept" },
  });
}
