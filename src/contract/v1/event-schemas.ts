import { z } from "zod";
import { EVENT_TYPES, type EventType } from "#core/event.ts";
import { NOTICE_TYPE } from "./event.ts";
import { keptPlantSchema, nullable, time } from "./schemas.ts";

export const eventTypeSchema = z
  .enum(EVENT_TYPES)
  .meta({ description: "The type of an event.", examples: ["plant.changed"] });

const previousPlantSchema = z
  .object({
    name: z.string().optional().meta({ description: "The earlier name, if it changed." }),
    tag: nullable("The earlier tag, if it changed; null for none.", ["indoor", null]).optional(),
  })
  .meta({ id: "PreviousPlant", description: "The members that changed, as they were." });

const dataMembers = {
  plant_id: z
    .string()
    .meta({ description: "The plant's id as a decimal, exact in every JSON parser.", examples: ["9007199254740993"] }),
  plant: keptPlantSchema.optional().meta({ description: "The plant after what happened; of a removal, what it was." }),
  plant_omitted: z.boolean().optional().meta({
    description: "True in a webhook whose body would be over 64 KiB: `plant` is left out, and can be read in the feed.",
  }),
};

const plantEventDataSchema = z.object(dataMembers).meta({
  id: "PlantEventData",
  description: "The plant after it was created, or before it was removed.",
});

const eventDataSchema = z
  .object({
    ...dataMembers,
    previous: previousPlantSchema.optional().meta({ description: "Of a change, what it was before." }),
  })
  .meta({ id: "EventData", description: "The plant as it is, and of a change what it was before." });

const id = z.string().meta({
  description: "Unique, and the same in the feed, the stream and every delivery. Ids sort in the order of the events.",
  examples: ["evt_00000000a1f3c"],
});
const about = { description: "The plant that it happened to." };
const version = z
  .string()
  .meta({ description: "The version of the interface that `data` speaks.", examples: ["1.0.0"] });
const test = z.boolean().optional().meta({ description: "True for a test event, which was sent on request." });

function eventMembers<Type extends EventType | typeof NOTICE_TYPE>(type: Type) {
  return {
    id,
    type: z.literal(type).meta({ description: "The type of the event." }),
    timestamp: time("The time of what happened."),
    version,
  };
}

export const plantCreatedEventSchema = z
  .object({ ...eventMembers("plant.created"), data: plantEventDataSchema.meta(about), test })
  .meta({ id: "PlantCreatedEvent", description: "A plant was created." });

export const plantChangedEventSchema = z
  .object({ ...eventMembers("plant.changed"), data: eventDataSchema.meta(about), test })
  .meta({ id: "PlantChangedEvent", description: "The name or the tag of a plant was changed." });

export const plantRemovedEventSchema = z
  .object({ ...eventMembers("plant.removed"), data: plantEventDataSchema.meta(about), test })
  .meta({ id: "PlantRemovedEvent", description: "A plant was removed." });

/**
 * One object and no union of the three: clients that generators make of a union fail at a type that is new to them, and
 * those in Go and Rust at any.
 */
export const eventSchema = z
  .object({ ...eventMembers("plant.created"), type: eventTypeSchema, data: eventDataSchema.meta(about), test })
  .meta({
    id: "Event",
    description:
      "What happened to a plant. `PlantCreatedEvent`, `PlantChangedEvent` and `PlantRemovedEvent` are its shapes by `type`; ignore types that you do not know, since more may be added.",
  });

export const eventsAvailableSchema = z
  .object({
    ...eventMembers(NOTICE_TYPE),
    data: z
      .object({ cursor: z.string().meta({ description: "The `cursor` of `/v1/events` from which to read." }) })
      .meta({ id: "EventsAvailableData", description: "The place in the feed from which there are events to read." })
      .meta({ description: "The place in the feed." }),
  })
  .meta({
    id: "EventsAvailable",
    description: "A notice that there are events to read, for an endpoint with `delivery: notice`.",
  });

export const eventPageSchema = z
  .object({
    data: z.array(eventSchema).meta({ description: "The events of this page, oldest first." }),
    next_cursor: z.string().meta({ description: "The `cursor` to go on from; never null. Keep it." }),
    has_more: z.boolean().meta({ description: "True if there may be more at once." }),
  })
  .meta({ id: "EventPage", description: "One page of the feed." });

const eventStreamSchema = z.string().meta({
  id: "EventStream",
  description: "Server-sent events (WHATWG HTML, 9.2). The `id` of each is a cursor, its `data` an Event in one line.",
});

const sentTestEventSchema = z
  .object({
    id: z.string().meta({ description: "The id of the test event.", examples: ["evt_test_00000000a1f3c"] }),
    streams: z.int().min(0).meta({ description: "The account's open streams on this node that it was sent to." }),
  })
  .meta({ id: "SentTestEvent", description: "A test event that was sent." });

/** In the order of the document. */
export const EVENT_SCHEMAS: readonly z.ZodType[] = [
  previousPlantSchema,
  eventDataSchema,
  plantEventDataSchema,
  plantCreatedEventSchema,
  plantChangedEventSchema,
  plantRemovedEventSchema,
  eventSchema,
  eventsAvailableSchema,
  eventPageSchema,
  eventStreamSchema,
  sentTestEventSchema,
];
