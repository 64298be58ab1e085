import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { exactId, type Id, type PlantChange, type StoredPlant, storedPlant, timeFrom, withJson } from "./plant.ts";

export type EventType = "plant.created" | "plant.changed" | "plant.removed";

interface AnyPlantEvent {
  /** Unique, and the same wherever the event appears; ids sort in the order of the events. */
  readonly id: string;
  readonly timestamp: Date;
  /** The version of the interface whose shapes the event has. */
  readonly version: string;
  readonly plantId: bigint;
  /** The plant after a create or a change, or before a removal; undefined in a webhook for which it is too long. */
  readonly plant: StoredPlant | undefined;
  /** True for an event that was sent to test a receiver. */
  readonly test: boolean;
  /** The person or token that did it, for pages of the dashboard alone; null where nobody was recorded. */
  readonly by?: Actor | null;
}

export interface PlantCreatedEvent extends AnyPlantEvent {
  readonly type: "plant.created";
  readonly previous?: undefined;
}

export interface PlantChangedEvent extends AnyPlantEvent {
  readonly type: "plant.changed";
  /** The members that changed, with their earlier values; `tag: null` means no tag. */
  readonly previous: PlantChange;
}

export interface PlantRemovedEvent extends AnyPlantEvent {
  readonly type: "plant.removed";
  readonly previous?: undefined;
}

/** Something that happened to a plant of the account; `type` says what. As JSON its ids are text. */
export type PlantEvent = PlantCreatedEvent | PlantChangedEvent | PlantRemovedEvent;

export interface Actor {
  /** "program" for a create with a token. */
  readonly kind: "person" | "token" | "operator" | "program";
  readonly id: string;
  readonly name: string;
}

/** Tells a webhook endpoint with `delivery: "notice"` that there are events to read from `cursor` on. */
export interface EventsAvailable {
  readonly id: string;
  readonly type: "events.available";
  readonly timestamp: Date;
  readonly version: string;
  readonly cursor: string;
}

/** An event with the cursor from which a reader continues after it. */
export type StreamedEvent = PlantEvent & {
  /** Empty for a test event, which is not in the feed. */
  readonly cursor: string;
  /** The event as it was sent, which is also the body of its webhook request. */
  readonly json: string;
};

export interface SentTestEvent {
  readonly id: string;
  /** The number of the account's open streams on the node that answered. */
  readonly streams: number;
}

/** The start of a query in the feed of events, and its filter. */
export interface EventQuery {
  /** A cursor or the id of an event, or "latest" for events from now on. By default the feed is read from its oldest event. */
  readonly cursor?: string;
  /** Only events of these types. */
  readonly types?: readonly EventType[];
}

export interface EventPageQuery extends EventQuery {
  /** Only events of the plants that have or had this id. */
  readonly plant?: Id;
  /** "-timestamp" is from the newest event back, without `wait`. */
  readonly order?: "timestamp" | "-timestamp";
  /** The number of events on a page: 1 to 1000, 100 by default. */
  readonly limit?: number;
  /** The seconds for which an empty answer waits for an event: 0 (the default) to 30. */
  readonly wait?: number;
}

export interface EventPage {
  readonly events: readonly PlantEvent[];
  /** The cursor to continue from: store it, and use it in the next request. Null alone at the oldest event of the feed read back. */
  readonly nextCursor: string | null;
  /** True if more events can be read at once. */
  readonly hasMore: boolean;
}

interface EventMembers {
  readonly id: string;
  readonly type: EventType | "events.available";
  readonly timestamp: string;
  readonly version: string;
  readonly test?: boolean;
  readonly by?: Actor | null;
  readonly data: {
    readonly plant_id: string;
    readonly plant?: unknown;
    readonly previous?: PlantChangedEvent["previous"];
    readonly cursor: string;
  };
}

const TYPES: readonly EventMembers["type"][] = ["plant.created", "plant.changed", "plant.removed", "events.available"];

/** False for an event of a type that is newer than this client, which ignores it. */
function isKnownEvent(members: unknown): boolean {
  const { type } = Object(members) as Partial<EventMembers>;
  return typeof type !== "string" || TYPES.includes(type);
}

/** Reads an event; undefined if its type is newer than this client. Throws a SyntaxError or TypeError if it is none. */
export function readPlantEvent(json: string): PlantEvent | undefined {
  const members = parseWithNumbersAsDigits(json);
  return isKnownEvent(members) ? plantEvent(members) : undefined;
}

/** Reads the body of a webhook request. Throws a SyntaxError or TypeError if the text is not one. */
export function readWebhookEvent(json: string): PlantEvent | EventsAvailable {
  const members = parseWithNumbersAsDigits(json) as EventMembers;
  if (members.type !== "events.available") return plantEvent(members);
  const { id, type, timestamp, version, data } = members;
  return { id, type, timestamp: timeFrom(timestamp), version, cursor: data.cursor };
}

/** An event from its members, in which numbers are strings of digits. */
export function plantEvent(members: unknown): PlantEvent {
  const { id, type, timestamp, version, test = false, by, data } = members as EventMembers;
  if (typeof id !== "string" || type === "events.available" || !data) throw new TypeError("The answer holds no event");
  const event = {
    id,
    type,
    timestamp: timeFrom(timestamp),
    version,
    plantId: BigInt(data.plant_id),
    plant: data.plant === undefined ? undefined : storedPlant(data.plant),
    test,
    ...(by === undefined ? undefined : { by }),
  };
  return withJson((data.previous === undefined ? event : { ...event, previous: data.previous }) as PlantEvent);
}

/** The feed of events. Its parameter for the types is called `type`. */
export function feedCall({ types, plant, order, limit, cursor, wait }: EventPageQuery) {
  const id = plant === undefined ? undefined : exactId(plant);
  return { method: "GET", path: "/events", query: { type: types, plant: id, order, limit, cursor, wait } } as const;
}

/** Reads a page of the feed. Throws a SyntaxError or TypeError if the text is not one. */
export function readEventPage(json: string): EventPage {
  const { data, next_cursor, has_more } = parseWithNumbersAsDigits(json) as Record<string, unknown>;
  const isCursor = typeof next_cursor === "string" || (next_cursor === null && has_more === false);
  if (!Array.isArray(data) || !isCursor || typeof has_more !== "boolean") {
    throw new TypeError("The answer holds no page of events");
  }
  return { events: data.filter(isKnownEvent).map(plantEvent), nextCursor: next_cursor, hasMore: has_more };
}
