import { Hono } from "hono";
import { type RecentEventPage, RecentEventsQuery } from "#contract/dashboard/events.ts";
import { decodeEventCursor, encodeEventCursor } from "#contract/event-cursor.ts";
import { timestamp } from "#contract/timestamp.ts";
import { eventId, type PlantEvent } from "#core/event.ts";
import { newestEvents } from "#events/newest-events.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readQuery } from "./form.ts";

const NAME_LENGTH_MAX = 1000;

/** The changes of the account's plants, newest first. Programs read the feed in its own order at /v1/events. */
export function eventRoutes({ store }: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.get("/events", async (c) => {
    const { cursor, type, limit } = readQuery(c.req.raw, RecentEventsQuery);
    const query = {
      until: cursor === undefined ? undefined : decodeEventCursor(cursor),
      types: type === undefined ? undefined : new Set([type]),
      limit,
    };
    const { events, next, newest } = await newestEvents(store.events, c.var.session.account.number, query);
    return c.json({
      data: events.map(recentEvent),
      next_cursor: next === undefined ? null : encodeEventCursor(next),
      live_cursor: encodeEventCursor(newest),
    } satisfies RecentEventPage);
  });

  return routes;
}

function recentEvent({ number, type, at, plant }: PlantEvent): RecentEventPage["data"][number] {
  return {
    id: eventId(number),
    type,
    timestamp: timestamp(at),
    plant_id: String(plant.id),
    name: plant.name.slice(0, NAME_LENGTH_MAX).toWellFormed(),
  };
}
