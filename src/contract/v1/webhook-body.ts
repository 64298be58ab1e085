import type { z } from "zod";
import { DURATION_FORMS, parseDuration } from "#core/duration.ts";
import { EVENT_TYPES, type EventType, eventNumber } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import type { NewWebhook, WebhookChange, WebhookReplay } from "#core/webhook.ts";
import {
  WEBHOOK_DESCRIPTION_LENGTH_MAX,
  WEBHOOK_OVERLAP_MS_DEFAULT,
  WEBHOOK_OVERLAP_MS_MAX,
  WEBHOOK_REPLAYED_EVENTS_MAX,
} from "#core/webhook.ts";
import { decodeEventCursor } from "../event-cursor.ts";
import { readObject, requireKnownMembers } from "../json-object.ts";
import { firstFault } from "../refused-member.ts";
import {
  newWebhookSchema,
  secretRollSchema,
  webhookChangeSchema,
  webhookReplaySchema,
  webhookSchema,
  webhookTestSchema,
} from "./webhooks.ts";

const URL_LENGTH_MAX = 2000;
const READ_MEMBERS = Object.keys(webhookSchema.shape);
const CHANGE = "change the webhook endpoint";

/** Reads the body of a request about webhooks. Throws "body-not-json", "body-not-a-plant" or "member-invalid". */
export function readNewWebhook(text: string): Omit<NewWebhook, "version"> {
  const intent = "add the webhook endpoint";
  const {
    url,
    events,
    description = "",
    delivery = "each",
    from,
  } = readMembers(newWebhookSchema, text, intent, READ_MEMBERS);
  return {
    url: checkedText("url", url, URL_LENGTH_MAX),
    types: typesOf("events", events),
    description: checkedText("description", description, WEBHOOK_DESCRIPTION_LENGTH_MAX),
    delivery,
    from: from === undefined || from === "now" ? undefined : memberCursor("from", from),
  };
}

export function readWebhookChange(text: string): WebhookChange {
  const { events, ...change } = readMembers(webhookChangeSchema, text, CHANGE, READ_MEMBERS);
  checkedText("url", change.url ?? "", URL_LENGTH_MAX);
  const types = events && { types: typesOf("events", events) ?? null };
  checkedText("description", change.description ?? "", WEBHOOK_DESCRIPTION_LENGTH_MAX);
  return { ...change, ...types };
}

/** The overlap in milliseconds. An empty body counts as one without members. */
export function readSecretRoll(text: string): number {
  const { overlap } = readMembers(secretRollSchema, text || "{}", "roll the secret");
  if (overlap === undefined) return WEBHOOK_OVERLAP_MS_DEFAULT;
  const ms = parseOverlap(overlap);
  if (ms !== undefined) return ms;
  throw invalid("overlap", `must be ${OVERLAP_FORMS}`);
}

export const OVERLAP_FORMS = `0, or ${DURATION_FORMS}, of at most 7 days`;

/** Reads an overlap in milliseconds; undefined for any other text. */
export function parseOverlap(text: string): number | undefined {
  const ms = text === "0" ? 0 : parseDuration(text);
  return ms !== undefined && ms <= WEBHOOK_OVERLAP_MS_MAX ? ms : undefined;
}

/** The type of the test event. An empty body counts as one without members. */
export function readWebhookTest(text: string): EventType {
  return readMembers(webhookTestSchema, text || "{}", "send a test").type ?? "plant.created";
}

export function readWebhookReplay(text: string): WebhookReplay {
  const { from, to, types, only = "all", events } = readMembers(webhookReplaySchema, text, "replay events");
  if (events !== undefined) return { events: eventNumbers(events) };
  if (from === undefined) {
    throw new Failure("body-not-a-plant", 'Cannot replay events: give "from", or the ids of "events"');
  }
  const first = eventNumber(from);
  return {
    from: first === undefined ? memberCursor("from", from, OR_ID) : first - 1n,
    to: to === undefined ? undefined : (eventNumber(to) ?? memberCursor("to", to, OR_ID)),
    types: typesOf("types", types),
    only,
  };
}

function eventNumbers(ids: readonly string[]): bigint[] {
  if (ids.length === 0 || ids.length > WEBHOOK_REPLAYED_EVENTS_MAX) {
    throw invalid("events", `must have 1 to ${WEBHOOK_REPLAYED_EVENTS_MAX} ids`);
  }
  return ids.map((id) => {
    const number = eventNumber(id);
    if (number === undefined) throw invalid("events", "must be ids of events, as in evt_00000000a1f3c");
    return number;
  });
}

/** Read-only members are ignored, so that an endpoint can be sent back as it was read. */
function readMembers<Schema extends z.ZodObject>(
  schema: Schema,
  text: string,
  intent: string,
  ignored: readonly string[] = [],
): z.output<Schema> {
  const members = readObject(text, intent);
  requireKnownMembers(members, intent, Object.keys(schema.shape), ignored);
  const result = schema.safeParse(members);
  if (result.success) return result.data;
  const { path, isMissing, problem } = firstFault(result.error, members);
  const member = String(path[0]);
  if (!isMissing) throw invalid(member, problem);
  throw new Failure("body-not-a-plant", `Cannot ${intent}: the required member "${member}" is missing`);
}

function typesOf(member: string, types: readonly EventType[] | undefined): ReadonlySet<EventType> | undefined {
  if (types === undefined) return undefined;
  if (types.length === 0) throw invalid(member, "must name a type, or be left out");
  const set = new Set(types);
  return set.size === EVENT_TYPES.length ? undefined : set;
}

function checkedText(member: string, text: string, lengthMax: number): string {
  if (text.length <= lengthMax && isStorableText(text)) return text;
  throw invalid(member, `must have at most ${lengthMax} characters, without U+0000 and lone surrogates`);
}

const OR_ID = " or the id of an event";

function memberCursor(member: string, cursor: string, alternative = ""): bigint {
  try {
    return decodeEventCursor(cursor);
  } catch {
    throw invalid(member, `must be a cursor of /v1/events${alternative}`);
  }
}

function invalid(member: string, problem: string): Failure {
  return new Failure("member-invalid", `The member "${member}" ${problem}`);
}
