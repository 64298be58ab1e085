import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { EventHub } from "#events/event-hub.ts";
import { STREAMS } from "#load/limits.ts";
import { Slots } from "#load/slots.ts";
import type { Storage } from "#storage/storage.ts";
import type { Settings } from "./settings.ts";

const EXPIRE_EVERY_MS = 3_600_000;
const SLICES_APART_MS = 50;
const FIRST_RUN_MS = 5000;

/** The feed of changes: its followers on this node, and the retention of events. */
export function openEventFeed(
  { DATABASE_URL: database, EVENTS_KEPT: keptMs }: Settings,
  { store, ready }: Storage,
  observer: Observer,
) {
  const isOn = keptMs > 0;
  const begun = ready.then(() => store.events.turn(isOn)).catch((error) => observer.failed("event-feed", error));
  const streams = new Slots(STREAMS);
  observer.gauge({ name: "streams", read: () => streams.total });
  // SQLite commits changes in the order of their numbers, so none is ever held back.
  if (database.startsWith("sqlite:")) observer.gauge({ name: "feed_lag_seconds", read: () => 0 });
  const expire: Job = {
    name: "event-retention",
    intervalMs: EXPIRE_EVERY_MS,
    firstDelayMs: FIRST_RUN_MS,
    exclusive: true,
    run: async ({ now }) => ((await store.events.expire(now, keptMs)) ? SLICES_APART_MS : undefined),
  };
  return {
    service: isOn ? { hub: new EventHub(store.events, observer), streams } : undefined,
    jobs: isOn ? [expire] : [],
    begun,
  };
}
