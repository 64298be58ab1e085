import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EVENT_TYPES, eventId } from "#core/event.ts";
import { WEBHOOK_REPLAYED_EVENTS_MAX } from "#core/webhook.ts";
import { refusal } from "#test/support/refusal.ts";
import { encodeEventCursor } from "../event-cursor.ts";
import {
  readNewWebhook,
  readSecretRoll,
  readWebhookChange,
  readWebhookReplay,
  readWebhookTest,
} from "./webhook-body.ts";
import { secretRollSchema } from "./webhooks.ts";

const URL = "https://shop.example.com/plants";

describe("a new endpoint", () => {
  test("has every type from now on, one request for each event, unless it is asked for otherwise", () => {
    const endpoint = { url: URL, types: undefined, description: "", delivery: "each" as const, from: undefined };
    expect(readNewWebhook(JSON.stringify({ url: URL }))).toEqual(endpoint);
    expect(readNewWebhook(JSON.stringify({ url: URL, from: "now", events: EVENT_TYPES }))).toEqual(endpoint);
    const asked = { url: URL, from: encodeEventCursor(7n), events: ["plant.removed"], delivery: "notice" };
    expect(readNewWebhook(JSON.stringify(asked))).toMatchObject({
      from: 7n,
      types: new Set(["plant.removed"]),
      delivery: "notice",
    });
  });

  test.each([
    [{}, "body-not-a-plant", '"url" is missing'],
    [{ url: URL, events: [] }, "member-invalid", '"events" must name a type'],
    [
      { url: URL, events: ["plant.eaten"] },
      "member-invalid",
      '"events" may only hold "plant.created", "plant.changed" or "plant.removed"',
    ],
    [{ url: URL, events: "plant.created" }, "member-invalid", '"events" must be an array'],
    [{ url: URL, delivery: "fast" }, "member-invalid", '"delivery" must be "each" or "notice"'],
    [{ url: 7 }, "member-invalid", '"url" must be a string'],
    [{ url: URL, from: "yesterday" }, "member-invalid", '"from" must be a cursor of /v1/events'],
    [{ url: `https://${"a".repeat(2000)}/` }, "member-invalid", '"url" must have at most 2000 characters'],
    [{ url: URL, description: "\0" }, "member-invalid", '"description" must have at most'],
  ])("%j is refused, and the message names the member", (body, code, message) => {
    expect(refusal(() => readNewWebhook(JSON.stringify(body)))).toEqual([code, expect.stringContaining(message)]);
  });
});

test("a change has the members that were sent and no other", () => {
  expect(readWebhookChange("{}")).toEqual({});
  expect(readWebhookChange('{"enabled":true,"resume":"now"}')).toEqual({ enabled: true, resume: "now" });
  expect(readWebhookChange(JSON.stringify({ events: EVENT_TYPES }))).toEqual({ types: null });
});

test("a new endpoint begins after the event whose id is given", () => {
  expect(readNewWebhook(JSON.stringify({ url: URL, from: eventId(7n) })).from).toBe(7n);
  expect(readNewWebhook(JSON.stringify({ url: URL, from: encodeEventCursor(7n) })).from).toBe(7n);
});

test("a member that is unknown is refused by its name, and those that are read and not set are passed over", () => {
  const read = {
    id: "we_1",
    status: "paused",
    next_at: "x",
    lag_seconds: 1,
    secrets: [],
    position: "x",
    version: "1.0.0",
  };
  expect(readWebhookChange(JSON.stringify({ ...read, description: "Shop" }))).toEqual({ description: "Shop" });
  expect(readNewWebhook(JSON.stringify({ ...read, url: URL }))).toMatchObject({ url: URL });
  const readers = [readNewWebhook, readWebhookChange, readSecretRoll, readWebhookTest, readWebhookReplay];
  for (const reader of readers)
    expect([reader.name, ...refusal(() => reader('{"evnts":[],"__proto__":1}'))]).toEqual([
      reader.name,
      "member-invalid",
      expect.stringContaining('there is no member "evnts"; it may have '),
    ]);
});

test("an overlap is 24 h by default and 7 days at most, and its form is the one that the document describes", () => {
  expect([readSecretRoll(""), readSecretRoll("{}")]).toEqual([86_400_000, 86_400_000]);
  expect(readSecretRoll('{"overlap":"7d"}')).toBe(7 * 86_400_000);
  expect(refusal(() => readSecretRoll('{"overlap":"8d"}'))[1]).toContain("at most 7 days");
  const pattern = new RegExp(String(secretRollSchema.shape.overlap.meta()?.pattern));
  const word = fc.oneof(fc.stringMatching(/^[0-9]{0,7}[smhdw]?$/), fc.string());
  fc.assert(
    fc.property(word, (overlap) => {
      const isTaken = refusal(() => readSecretRoll(JSON.stringify({ overlap })))[0] === "taken";
      if (isTaken) expect(overlap).toMatch(pattern);
    }),
  );
});

test("a test event is a create unless a type is named", () => {
  expect([readWebhookTest(""), readWebhookTest('{"type":"plant.removed"}')]).toEqual([
    "plant.created",
    "plant.removed",
  ]);
});

describe("a replay", () => {
  test("begins with the event that is named, or after a cursor", () => {
    const from = (text: string) => readWebhookReplay(JSON.stringify({ from: text }));
    expect(from(eventId(9n))).toEqual({ from: 8n, to: undefined, types: undefined, only: "all" });
    expect(from(encodeEventCursor(9n))).toMatchObject({ from: 9n });
    const ids = { events: [eventId(1n), eventId(5n)] };
    expect(readWebhookReplay(JSON.stringify(ids))).toEqual({ events: [1n, 5n] });
  });

  test.each([
    [{}, 'give "from"'],
    [{ from: eventId(1n), types: [] }, '"types" must name a type'],
    [{ from: eventId(1n), to: "now" }, '"to" must be a cursor of /v1/events or the id of an event'],
    [{ events: [] }, `"events" must have 1 to ${WEBHOOK_REPLAYED_EVENTS_MAX} ids`],
    [{ events: ["evt_1"] }, '"events" must be ids of events'],
  ])("%j is refused, and the message names the member", (body, message) => {
    expect(refusal(() => readWebhookReplay(JSON.stringify(body)))[1]).toContain(message);
  });
});
