import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { z } from "zod";
import { EVENT_TYPES, type EventType, type PlantEvent } from "#core/event.ts";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import { DELIVERY_STATUSES, type Delivery, WEBHOOK_DELIVERY_MODES, type WebhookView } from "#core/webhook.ts";
import { errorBody } from "../errors.ts";
import { componentSchemas } from "./component-schemas.ts";
import { eventBody, eventPageBody, noticeBody, testEventBody, webhookEventBody } from "./event.ts";
import { EVENT_SCHEMAS, eventPageSchema, eventSchema, eventsAvailableSchema } from "./event-schemas.ts";
import { keptPlantBody, plantBody, plantPageBody } from "./plant.ts";
import { createdPlantSchema, errorSchema, keptPlantSchema, plantPageSchema } from "./schemas.ts";
import { deliveryPageRecord, webhookRecord } from "./webhook.ts";
import { deliveryPageSchema, webhookSchema } from "./webhooks.ts";

const TEXT = fc.string({ unit: "grapheme" });
const TIME = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const PLANT = fc.record({
  id: fc.bigInt(INT64_MIN, INT64_MAX),
  name: TEXT,
  tag: optional(TEXT),
  createdAt: TIME,
  updatedAt: TIME,
  number: fc.bigInt(1n, INT64_MAX),
  revision: fc.nat(),
});
const EVENT: fc.Arbitrary<PlantEvent> = fc
  .record({
    number: fc.bigInt(1n, INT64_MAX),
    type: fc.constantFrom(...EVENT_TYPES),
    at: TIME,
    plant: PLANT,
    previous: fc.record({ name: TEXT, tag: optional(TEXT) }),
  })
  .map((event) => ({ ...event, previous: event.type === "plant.changed" ? event.previous : undefined }));

function expectEvent(type: EventType, json: string): void {
  for (const schema of [eventSchema, EVENT_SCHEMAS[type]]) expectPublished(schema, json);
}

/** Every member of an answer that the schema does not name is a fault, although readers ignore what they do not know. */
function expectPublished(schema: z.ZodObject, json: string): void {
  const value: unknown = JSON.parse(json);
  const result = schema.strict().safeParse(value);
  expect(result.error?.issues ?? []).toEqual([]);
  expect(JSON.parse(JSON.stringify(result.data))).toEqual(value);
}

describe("what is answered has the published shape, and no member more:", () => {
  test("plants", () => {
    fc.assert(
      fc.property(PLANT, fc.option(TEXT), (plant, cursor) => {
        expectPublished(createdPlantSchema, plantBody(plant));
        expectPublished(keptPlantSchema, keptPlantBody(plant));
        expectPublished(plantPageSchema, plantPageBody([plant, plant], cursor));
      }),
    );
  });

  test("events, also the long ones of webhooks and those of a test", () => {
    fc.assert(
      fc.property(EVENT, fc.boolean(), fc.constantFrom(...EVENT_TYPES), TIME, (event, more, type, now) => {
        expectEvent(event.type, eventBody(event));
        expectPublished(eventPageSchema, eventPageBody([eventBody(event)], "c", more));
        expectEvent(event.type, webhookEventBody(event));
        expectEvent(type, testEventBody("evt_test_1", type, now));
        expectPublished(eventsAvailableSchema, noticeBody("evt_1", "c", now));
        const long = { ...event, plant: { ...event.plant, name: "x".repeat(70_000) } };
        expectEvent(event.type, webhookEventBody(long));
      }),
      { numRuns: 50 },
    );
  });

  test("webhook endpoints", () => {
    const view: fc.Arbitrary<WebhookView> = fc.record({
      id: TEXT,
      account: fc.constant(1),
      url: TEXT,
      types: optional(fc.constant(new Set(EVENT_TYPES.slice(1)))),
      description: TEXT,
      delivery: fc.constantFrom(...WEBHOOK_DELIVERY_MODES),
      version: TEXT,
      status: fc.constantFrom("enabled", "paused", "disabled"),
      reason: optional(fc.constantFrom("failing", "gone", "by_hand")),
      failingSince: optional(TIME),
      nextAt: optional(TIME),
      lagSeconds: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      position: fc.bigInt(0n, INT64_MAX),
      secrets: fc.array(fc.record({ hint: TEXT, createdAt: TIME, expiresAt: optional(TIME) }), { maxLength: 2 }),
      createdAt: TIME,
      updatedAt: TIME,
    });
    fc.assert(fc.property(view, (each) => expectPublished(webhookSchema, JSON.stringify(webhookRecord(each)))));
  });

  test("the log of deliveries", () => {
    const delivery: fc.Arbitrary<Delivery> = fc.record({
      id: TEXT,
      event: TEXT,
      type: fc.constantFrom(...EVENT_TYPES),
      attempt: fc.integer({ min: 1, max: 10 }),
      status: fc.constantFrom(...DELIVERY_STATUSES),
      httpStatus: optional(fc.integer({ min: 200, max: 999 })),
      error: optional(fc.constantFrom("timeout", "dns", "too_many")),
      ms: fc.double({ min: 0, max: 15_000, noNaN: true }),
      at: TIME,
      nextAt: optional(TIME),
      excerpt: optional(TEXT),
    });
    fc.assert(
      fc.property(fc.array(delivery, { maxLength: 3 }), optional(fc.nat()), (deliveries, next) =>
        expectPublished(deliveryPageSchema, JSON.stringify(deliveryPageRecord(deliveries, next))),
      ),
    );
  });

  test("refusals", () => {
    fc.assert(
      fc.property(fc.integer({ min: 40000, max: 59999 }), TEXT, (error, message) =>
        expectPublished(errorSchema, errorBody(error, message)),
      ),
    );
  });
});

test("every schema that another refers to is published, and each is described with all its members and their items", () => {
  const schemas = componentSchemas() as Record<string, Described>;
  const references = JSON.stringify(schemas).match(/#\/components\/schemas\/\w+/g) ?? [];
  expect(references).not.toEqual([]);
  for (const reference of references) expect(Object.keys(schemas)).toContain(reference.split("/").at(-1) ?? "");
  expect(Object.entries(schemas).flatMap(([name, schema]) => undescribedIn(name, schema))).toEqual([]);
});

interface Described {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
}

/** The paths of a schema, its members and its items that no description tells the meaning of. */
function undescribedIn(path: string, { description, properties = {}, items }: Described): string[] {
  const members = Object.entries(properties).flatMap(([name, member]) => undescribedIn(`${path}.${name}`, member));
  const inItems = items && !items.$ref ? undescribedIn(`${path}[]`, items) : [];
  return [...(description ? [] : [path]), ...members, ...inItems];
}
