import { encodeEventCursor } from "#contract/event-cursor.ts";
import type { Service } from "./service.ts";

/**
 * The header of lists and exports with the cursor from which the feed continues after them. Call it before the snapshot
 * is taken, since its position must not be after the snapshot.
 */
export async function eventsCursor({ store, eventHub }: Service): Promise<Record<string, string>> {
  return eventHub ? { "Events-Cursor": encodeEventCursor(await store.events.recent()) } : {};
}
