import { z } from "zod";
import { EVENT_TYPES, type EventType } from "#core/event.ts";
import type { PlantPatch } from "#core/plant.ts";
import { Count, type RecordPage } from "./fields.ts";

/**
 * The newest events of the feed.
 *
 * - `GET /events?type=&person=&cursor=&limit=`: 200 RecentEventPage, newest first
 */

export const RecentEventsQuery = z.object({
  type: z.enum(EVENT_TYPES).optional(),
  /** Only what the person with this id did. */
  person: z.string().max(100).optional(),
  cursor: z.string().max(100).optional(),
  limit: Count(1, 200).default(100),
});

export interface RecentEvent {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  /** A decimal, since it may be beyond 2^53. */
  readonly plant_id: string;
  /** Cut after 1,000 characters. */
  readonly name: string;
  readonly tag: string | null;
  /** The earlier texts that a change replaced, cut as the name is; null for none. */
  readonly previous?: PlantPatch;
  /** Null where nobody was recorded. */
  readonly by: {
    readonly kind: "person" | "token" | "operator" | "program";
    readonly id: string;
    readonly name: string;
  } | null;
}

export interface RecentEventPage extends RecordPage<RecentEvent> {
  /** The position after the newest event of the page, as `cursor` of `/v1/events`. */
  readonly live_cursor: string;
}
