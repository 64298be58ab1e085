import { z } from "zod";

/**
 * The list of plants is read at `/v1/plants`; only its count and its tags are here.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /plants/matches?q=&tag=` | | 200 PlantMatches; a plant is found by its id too |
 * | `GET /plants/tags` | | 200 `{ tags }`, up to 200 that are in use, the most frequent first |
 * | `GET /plants/next-id` | | 200 NextId, for a plant that is added by hand |
 */

export const PlantMatchesQuery = z.object({ q: z.string().optional(), tag: z.string().optional() });

export const PlantMatches = z.object({
  count: z.int(),
  /** True if counting stopped before the end, so that at least this many match. */
  at_least: z.boolean(),
});
export type PlantMatches = z.infer<typeof PlantMatches>;

export const PlantTags = z.object({ tags: z.array(z.string()) });
export type PlantTags = z.infer<typeof PlantTags>;

/** One more than the greatest id of the account, in decimal; null if there is no greater one. */
export const NextId = z.object({ id: z.string().nullable() });
export type NextId = z.infer<typeof NextId>;
