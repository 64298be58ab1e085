import type { Actor } from "#core/caller.ts";
import { changedTexts, type EventType, eventId, type PlantEvent } from "#core/event.ts";
import { EXAMPLE_TEXTS } from "#core/plant-members.ts";
import { timestamp } from "../timestamp.ts";
import { eventPlantBody } from "./plant.ts";
import { VERSION } from "./version.ts";

/**
 * The maximum size of a webhook's body. A longer event is sent without its plant, and if necessary without the earlier
 * name.
 */
const WEBHOOK_BODY_BYTES_MAX = 64 * 1024;

/** An event for the feed, the stream and webhooks: on one line, and always the same bytes. */
export function eventBody(event: PlantEvent): string {
  return bodyOf(event, `"plant":${eventPlantBody(event.plant)}${previous(event)}`);
}

/** An event for a page of the dashboard, with who did it; `by` is null where nobody was recorded. */
export function eventBodyWithDoer(event: PlantEvent, by: Actor<"event"> | undefined): string {
  return `${eventBody(event).slice(0, -1)},"by":${JSON.stringify(by ?? null)}}`;
}

export function webhookEventBody(event: PlantEvent): string {
  const body = eventBody(event);
  if (fits(body)) return body;
  const omitted = '"plant_omitted":true';
  const shorter = bodyOf(event, `${omitted}${previous(event)}`);
  return fits(shorter) ? shorter : bodyOf(event, omitted);
}

function fits(body: string): boolean {
  return body.length * 3 <= WEBHOOK_BODY_BYTES_MAX || Buffer.byteLength(body) <= WEBHOOK_BODY_BYTES_MAX;
}

/** A test event, marked as one. Nothing of it is stored. */
export function testEventBody(id: string, type: EventType, now: number): string {
  const plant = { id: 42n, ...EXAMPLE_TEXTS, createdAt: now, updatedAt: now };
  const before = type === "plant.changed" ? ',"previous":{"name":"Monstera"}' : "";
  const data = `{"plant_id":"${plant.id}","plant":${eventPlantBody(plant)}${before}}`;
  return `{"id":"${id}","type":"${type}","timestamp":"${timestamp(now)}","version":"${VERSION}","test":true,"data":${data}}`;
}

export const NOTICE_TYPE = "events.available";

/** The body of a notice, which tells a webhook endpoint where to continue in the feed. */
export function noticeBody(id: string, cursor: string, now: number): string {
  return JSON.stringify({ id, type: NOTICE_TYPE, timestamp: timestamp(now), version: VERSION, data: { cursor } });
}

/** Joins the bodies of events to the body of a page. */
export function eventPageBody(bodies: readonly string[], nextCursor: string | null, more: boolean): string {
  return `{"data":[${bodies.join(",")}],"next_cursor":${JSON.stringify(nextCursor)},"has_more":${more}}`;
}

function bodyOf({ number, type, at, plant }: PlantEvent, members: string): string {
  const head = `{"id":"${eventId(number)}","type":"${type}","timestamp":"${timestamp(at)}","version":"${VERSION}"`;
  return `${head},"data":{"plant_id":"${plant.id}",${members}}}`;
}

/** The member `previous`, which has only the texts that changed; null means there was none. */
function previous({ previous, plant }: PlantEvent): string {
  if (!previous) return "";
  return `,"previous":${JSON.stringify(changedTexts(previous, plant))}`;
}
