import { expect, test } from "bun:test";
import { eventType, FeedPosition } from "./commands/events.ts";

test("the place in the feed is that of the last event that was dealt with; a test event has none", () => {
  const place = new FeedPosition();
  expect(place.text("forwarded")).toBe("No event was forwarded");
  place.reached({ id: "evt_test_1", cursor: "" });
  expect(place.text("forwarded")).toBe("No event was forwarded");
  place.reached({ id: "evt_1", cursor: "c1" });
  place.reached({ id: "evt_2", cursor: "c2" });
  place.reached({ id: "evt_test_2", cursor: "" });
  expect(place.text("shown")).toBe("Everything up to evt_2 was shown; go on with --cursor c2");
});

test("a type that there is not is refused with those that there are", () => {
  expect(eventType("plant.removed")).toBe("plant.removed");
  expect(() => eventType("plant.eaten")).toThrow("plant.created, plant.changed, plant.removed");
});
