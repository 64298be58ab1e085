import { z } from "zod";

/**
 * The list of plants is read at `/v1/plants`; only its count and its tags are here.
 *
 * - `GET /plants/matches?q=&tag=`: 200 PlantMatches; a plant is found by its id too
 * - `GET /plants/tags`: 200 PlantTags, up to 200 that are in use, the most frequent first
 * - `GET /plants/next-id`: 200 NextId, for a plant that is added by hand
 */

export const PlantMatchesQuery = z.object({ q: z.string().optional(), tag: z.string().optional() });

export interface PlantMatches {
  readonly count: number;
  /** True if counting stopped before the end, so that at least this many match. */
  readonly at_least: boolean;
}

export interface PlantTags {
  readonly tags: readonly string[];
}

export interface NextId {
  /** One more than the greatest id of the account, in decimal; null if there is no greater one. */
  readonly id: string | null;
}
