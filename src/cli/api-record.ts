import type { PlantEvent } from "#client/event.ts";
import type { EventPage } from "#client/event-feed.ts";
import { plantRecord } from "./plant-output.ts";

/** A record of the client in the shape of the API, with members in snake case. */
export function apiRecord(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(apiRecord);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCased(name), apiRecord(member)]));
}

/** A page of the feed in the shape of the API. */
export function eventPageRecord({ events, nextCursor, hasMore }: EventPage) {
  return { data: events.map(eventRecord), next_cursor: nextCursor, has_more: hasMore };
}

function eventRecord({ id, type, timestamp, version, plantId, plant, previous }: PlantEvent) {
  return {
    id,
    type,
    timestamp,
    version,
    data: { plant_id: String(plantId), plant: plant && plantRecord(plant), previous },
  };
}

function snakeCased(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
