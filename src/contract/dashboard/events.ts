import { z } from "zod";
import { EVENT_TYPES, type EventType } from "#core/event.ts";
import { Count, type RecordPage } from "./fields.ts";

/**
 * The newest events of the feed.
 *
 * - `GET /events?type=&cursor=&limit=`: 200 RecentEventPage, newest first
 */

export const RecentEventsQuery = z.object({
  type: z.enum(EVENT_TYPES).optional(),
  cursor: z.string().max(100).optional(),
  limit: Count(1, 200).default(100),
});

interface RecentEvent {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  /** A decimal, since it may be beyond 2^53. */
  readonly plant_id: string;
  /** Cut after 1,000 characters. */
  readonly name: string;
}

export interface RecentEventPage extends RecordPage<RecentEvent> {
  /** For `/v1/events`: the position after the newest event of the page. */
  readonly live_cursor: string;
}
