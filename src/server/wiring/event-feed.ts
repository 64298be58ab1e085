import { HOUR_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { EventHub } from "#http/feed/event-hub.ts";
import { STREAMS } from "#http/feed/event-stream.ts";
import { Slots } from "#load/slots.ts";
import type { Storage } from "#storage/storage.ts";
import type { Settings } from "../settings.ts";

/** The feed of changes: its followers on this node, and the retention of events. */
export function openEventFeed({ EVENTS_KEPT: keptMs }: Settings, { records, ready }: Storage, observer: Observer) {
  const isOn = keptMs > 0;
  const begun = ready.then(() => records.events.turn(isOn)).catch((error) => observer.failed("event-feed", error));
  const streams = new Slots(STREAMS);
  observer.gauge("plantstore_streams", () => streams.total);
  const expire: Job = {
    name: "event-retention",
    intervalMs: HOUR_MS,
    firstDelayMs: 5000,
    exclusive: true,
    run: async ({ now }) => ((await records.events.expire(now, keptMs)) ? 50 : undefined),
  };
  return {
    service: isOn ? { hub: new EventHub(records.events, observer), streams } : undefined,
    jobs: isOn ? [expire] : [],
    begun,
  };
}
