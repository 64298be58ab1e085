import { encodeEventCursor } from "#contract/event-cursor.ts";
import type { EventPage } from "#core/event.ts";

/** The maximum of a chunk for the connection, unless a single event is larger. */
export const CHUNK_BYTES = 64 * 1024;

/** Events as a stream sends them. */
export interface EventChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** With this chunk, every event up to this number is sent. */
  readonly next: bigint;
  /** True if more events may be readable at once. */
  readonly more: boolean;
}

/** Encodes as many events of the page as fit a chunk, as server-sent events (WHATWG HTML, 9.2). */
export function eventChunk({ events, next, more }: EventPage, bodies: readonly string[]): EventChunk {
  let text = "";
  let bytes = 0;
  let last = next;
  for (const [index, event] of events.entries()) {
    const frame = `id: ${encodeEventCursor(event.number)}\nevent: ${event.type}\n${eventField("data", bodies[index] ?? "")}`;
    bytes += Buffer.byteLength(frame);
    if (text !== "" && bytes > CHUNK_BYTES) {
      last = events[index - 1]?.number ?? next;
      break;
    }
    text += frame;
  }
  return { bytes: new TextEncoder().encode(text), next: last, more: more || last !== next };
}

export function eventField(name: string, value: string): string {
  return `${name}: ${value}\n\n`;
}
