import type { QueueBounds } from "./fair-queue.ts";
import type { SlotBounds } from "./slots.ts";

const READING_WAITING = { name: "requests that read", waiting: 1024, waitingEach: 128 };

/** Reads for answers that grow with the data. SQLite's threads read one thing at a time; of PostgreSQL's, one waits for several. */
export const READING = {
  sqlite: { ...READING_WAITING, atOnce: 2, atOnceEach: 1 },
  postgres: { ...READING_WAITING, atOnce: 4, atOnceEach: 2 },
} as const satisfies Record<string, QueueBounds>;

/** Each export holds a snapshot, and on PostgreSQL a connection, for as long as its reader reads. */
export const EXPORTS = { name: "exports", all: 32, each: 8 } as const satisfies SlotBounds;

export const STREAMS = { name: "streams", all: 1000, each: 8 } as const satisfies SlotBounds;

/** Requests that wait for events. */
export const WAITS = { name: "waiting-requests", all: 4096, each: 64 } as const satisfies SlotBounds;

/** Calls of the Model Context Protocol, each of which waits for requests of its own to the API. */
export const MCP = {
  name: "calls of tools",
  atOnce: 8,
  atOnceEach: 2,
  waiting: 512,
  waitingEach: 64,
} as const satisfies QueueBounds;

/** The length of a text that is parsed on the thread that serves; JSON of this length takes well under a millisecond. */
export const PARSED_HERE_MAX = 16 * 1024;
