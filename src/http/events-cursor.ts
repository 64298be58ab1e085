import { encodeEventCursor } from "#contract/event-cursor.ts";
import type { Service } from "./service.ts";

/**
 * The header of lists and exports that says where the feed of changes goes on from them. Call it before the snapshot is
 * taken: its position must not be after it.
 */
export async function eventsCursor({ store, eventHub }: Service): Promise<Record<string, string>> {
  return eventHub ? { "Events-Cursor": encodeEventCursor(await store.events.recent()) } : {};
}
