import { z } from "zod";
import { EVENT_TYPES, type EventType } from "#core/event.ts";
import { ANY_MEMBER, EXAMPLE_TEXTS, withOptional } from "#core/plant-members.ts";
import { NOTICE_TYPE } from "./event.ts";
import { component, eventPlantSchema, list, nullable, object, text, time } from "./schemas.ts";

export const eventTypeSchema = z
  .enum(EVENT_TYPES)
  .meta({ description: "The type of an event.", examples: ["plant.changed"] });

const previousPlantSchema = object(
  "PreviousPlant",
  "The members that changed, as they were.",
  withOptional({ name: z.string().optional().meta({ description: "The earlier name, if it changed." }) }, (member) =>
    nullable(`The earlier ${member}, if it changed; null for none.`, [EXAMPLE_TEXTS[member], null]).optional(),
  ),
);

const dataMembers = {
  plant_id: text("The plant's id as a decimal, exact in every JSON parser.", { examples: ["9007199254740993"] }),
  plant: eventPlantSchema.optional().meta({ description: "The plant after what happened; of a removal, what it was." }),
  plant_omitted: z.boolean().optional().meta({
    description: "True in a webhook whose body would be over 64 KiB: `plant` is left out, and can be read in the feed.",
  }),
};
const about = { description: "The plant that it happened to." };

const changedData = object("EventData", "The plant as it is, and of a change what it was before.", {
  ...dataMembers,
  previous: previousPlantSchema.optional().meta({ description: "Of a change, what it was before." }),
}).meta(about);

const data = object("PlantEventData", "The plant after it was created, or before it was removed.", dataMembers).meta(
  about,
);

function eventMembers<Type extends EventType | typeof NOTICE_TYPE>(type: Type) {
  return {
    id: text("Unique, and the same in the feed, the stream and every delivery. Ids sort in the order of the events.", {
      examples: ["evt_00000000a1f3c"],
    }),
    type: z.literal(type).meta({ description: "The type of the event." }),
    timestamp: time("The time of what happened."),
    version: text("The version of the interface that `data` speaks.", { examples: ["1.0.0"] }),
  };
}

const test = z.boolean().optional().meta({ description: "True for a test event, which was sent on request." });

const CHANGED = `The ${ANY_MEMBER} of a plant was changed.`;

function eventOf(type: EventType, id: string, description: string, data: z.ZodType) {
  return object(id, description, { ...eventMembers(type), data, test });
}

export const EVENT_SCHEMAS: Readonly<Record<EventType, z.ZodObject>> = {
  "plant.created": eventOf("plant.created", "PlantCreatedEvent", "A plant was created.", data),
  "plant.changed": eventOf("plant.changed", "PlantChangedEvent", CHANGED, changedData),
  "plant.removed": eventOf("plant.removed", "PlantRemovedEvent", "A plant was removed.", data),
};

/**
 * One object and no union of the three: clients that generators make of a union fail at a type that is new to them, and
 * those in Go and Rust at any.
 */
export const eventSchema = object(
  "Event",
  "What happened to a plant. `PlantCreatedEvent`, `PlantChangedEvent` and `PlantRemovedEvent` are its shapes by `type`; ignore types that you do not know, since more may be added.",
  { ...eventMembers("plant.created"), type: eventTypeSchema, data: changedData, test },
);

export const eventsAvailableSchema = object(
  "EventsAvailable",
  "A notice that there are events to read, for an endpoint with `delivery: notice`.",
  {
    ...eventMembers(NOTICE_TYPE),
    data: z
      .object({ cursor: text("The `cursor` of `/v1/events` from which to read.") })
      .meta({ id: "EventsAvailableData", description: "The place in the feed from which there are events to read." })
      .meta({ description: "The place in the feed." }),
  },
);

export const eventPageSchema = object("EventPage", "One page of the feed.", {
  data: list(eventSchema, "The events of this page, oldest first, or newest first with `order=-timestamp`."),
  next_cursor: nullable(
    "The `cursor` to go on from: keep it. Null alone at the oldest event of the whole feed, with `order=-timestamp`.",
    ["ZXZlbnRzIDY2MzI3MiAxeG9tazFj", null],
  ),
  has_more: z.boolean().meta({ description: "True if there may be more at once." }),
});

component(
  "EventStream",
  "Server-sent events (WHATWG HTML, 9.2). The `id` of each is a cursor, its `data` an Event in one line.",
  z.string(),
);

object("SentTestEvent", "A test event that was sent.", {
  id: text("The id of the test event.", { examples: ["evt_test_00000000a1f3c"] }),
  streams: z.int().min(0).meta({ description: "The account's open streams on this node that it was sent to." }),
});
