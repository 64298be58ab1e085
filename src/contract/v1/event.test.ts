import { describe, expect, test } from "bun:test";
import type { PlantEvent } from "#core/event.ts";
import { eventBody, webhookEventBody } from "./event.ts";

const plant = { id: 9007199254740993n, name: "Fern", tag: undefined, createdAt: 0, updatedAt: 1000 };
const changed = (more: Partial<PlantEvent> = {}): PlantEvent => ({
  number: 1n,
  type: "plant.changed",
  at: 1000,
  plant,
  previous: { name: "Farn", tag: "shade" },
  ...more,
});
const long = { ...plant, name: "\u00e4".repeat(33_000) };

describe("an event's body", () => {
  test("is one line with the exact id twice, as a number and as text, and the members that changed", () => {
    expect(eventBody(changed())).toBe(
      '{"id":"evt_0000000000001","type":"plant.changed","timestamp":"1970-01-01T00:00:01.000Z","version":"1.0.0",' +
        '"data":{"plant_id":"9007199254740993","plant":{"id":9007199254740993,"name":"Fern",' +
        '"created_at":"1970-01-01T00:00:00.000Z","updated_at":"1970-01-01T00:00:01.000Z"},' +
        '"previous":{"name":"Farn","tag":"shade"}}}',
    );
    expect(eventBody(changed({ plant: { ...plant, name: "a\nb" } }))).not.toContain("\n");
  });

  test("says null for a tag that was not there, and leaves out what did not change", () => {
    const { data } = JSON.parse(
      eventBody(changed({ plant: { ...plant, tag: "new" }, previous: { name: "Fern", tag: undefined } })),
    );
    expect(data.previous).toEqual({ tag: null });
    expect(JSON.parse(eventBody(changed({ type: "plant.removed", previous: undefined }))).data).not.toHaveProperty(
      "previous",
    );
  });

  test("leaves the plant out of a webhook that would have more than 64 KiB, and the rest as it is", () => {
    const whole = webhookEventBody(changed());
    expect(whole).toBe(eventBody(changed()));
    const { data, ...members } = JSON.parse(webhookEventBody(changed({ plant: long })));
    expect(data).toEqual({
      plant_id: "9007199254740993",
      plant_omitted: true,
      previous: { name: "Farn", tag: "shade" },
    });
    expect(members).toEqual({
      id: "evt_0000000000001",
      type: "plant.changed",
      timestamp: "1970-01-01T00:00:01.000Z",
      version: "1.0.0",
    });
    const both = webhookEventBody(changed({ plant: long, previous: { name: `${long.name}!`, tag: undefined } }));
    expect(JSON.parse(both).data).toEqual({ plant_id: "9007199254740993", plant_omitted: true });
  });

  test("has at most 64 KiB in a webhook, to the byte", () => {
    const overhead = Buffer.byteLength(webhookEventBody(changed({ plant: { ...plant, name: "" } })));
    const sized = (bytes: number) => changed({ plant: { ...plant, name: "x".repeat(bytes - overhead) } });
    expect(Buffer.byteLength(webhookEventBody(sized(64 * 1024)))).toBe(64 * 1024);
    expect(webhookEventBody(sized(64 * 1024 + 1))).toContain('"plant_omitted":true');
  });
});
