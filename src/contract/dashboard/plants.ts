import { z } from "zod";
import { Count, type RecordPage } from "./fields.ts";

/**
 * The list of plants is read at `/v1/plants`; only its count and its tags are here.
 *
 * - `GET /plants/matches?q=&tag=`: 200 PlantMatches; a plant is found by its id too
 * - `GET /plants/tags`: 200 PlantTags, at most a minute late
 * - `GET /plants/next-id`: 200 NextId, for a plant that is added by hand
 * - `GET /plants/creators?ids=`: 200 PlantCreators, for a page of the list
 * - `GET /plants/removed?cursor=&limit=`: 200 RemovedPlantPage, what was removed and whose id is free, newest first
 */

export const PlantMatchesQuery = z.object({ q: z.string().optional(), tag: z.string().optional() });

export interface PlantMatches {
  readonly count: number;
  /** True if counting stopped before the end, so that at least this many match. */
  readonly at_least: boolean;
}

export interface PlantTags {
  /** Up to 1,000, the most frequent first. */
  readonly tags: readonly { readonly tag: string; readonly count: number }[];
  /** The number of plants with any other tag. */
  readonly other: number;
  readonly untagged: number;
  /** True if not all plants are counted yet. */
  readonly about: boolean;
}

/** The most ids of one request: as many as a page of the list has. */
export const PLANT_CREATORS_MAX = 100;

/** Ids with commas between them. */
export const PlantCreatorsQuery = z.object({ ids: z.string().max(PLANT_CREATORS_MAX * 21) });

export interface PlantCreators {
  /** The plants of each creator, by their ids in decimal. `by` is null for plants whose creator is unknown. */
  readonly creators: readonly { readonly by: RemovedPlant["by"]; readonly ids: readonly string[] }[];
}

export interface NextId {
  /** The next id in decimal: one more than the greatest, else a free one below it; null if none was found. */
  readonly id: string | null;
}

export const RemovedPlantsQuery = z.object({
  cursor: z.string().max(100).optional(),
  limit: Count(1, 200).default(100),
});

interface RemovedPlant {
  /** The id of the removal's event, which has the whole texts. */
  readonly event: string;
  /** A decimal, since it may be beyond 2^53. */
  readonly id: string;
  /** Texts are cut after 1,000 characters. */
  readonly name: string;
  readonly tag: string | null;
  readonly removed_at: string;
  /** Null where nobody was recorded. */
  readonly by: {
    readonly kind: "person" | "token" | "operator" | "program";
    readonly id: string;
    readonly name: string;
  } | null;
}

export type RemovedPlantPage = RecordPage<RemovedPlant>;
