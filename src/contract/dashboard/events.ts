import { z } from "zod";
import { EVENT_TYPES } from "#core/event.ts";
import { Count, Time } from "./fields.ts";

/**
 * The newest events of the feed.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /events?type=&cursor=&limit=` | | 200 RecentEventPage, newest first |
 */

const EventTypeName = z.enum(EVENT_TYPES);

export const RecentEventsQuery = z.object({
  type: EventTypeName.optional(),
  cursor: z.string().max(100).optional(),
  limit: Count(1, 200).default(100),
});

export const RecentEventPage = z.object({
  /** `plant_id` is a decimal string, since it may be beyond 2^53; `name` is cut after 1,000 characters. */
  data: z.array(
    z.object({ id: z.string(), type: EventTypeName, timestamp: Time, plant_id: z.string(), name: z.string() }),
  ),
  next_cursor: z.string().nullable(),
  /** For `/v1/events`: the position after the newest event of the page. */
  live_cursor: z.string(),
});
export type RecentEventPage = z.infer<typeof RecentEventPage>;
