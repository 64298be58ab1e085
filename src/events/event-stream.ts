import { encodeEventCursor } from "#contract/event-cursor.ts";
import type { EventStore, EventType, PlantEvent } from "#core/event.ts";
import type { Follower } from "./event-hub.ts";

const COMMENT_EVERY_MS = 15_000;
const PAGE_EVENTS = 100;
/** A chunk for the connection; more is rendered only when this was taken. */
const CHUNK_UNITS = 64 * 1024;
/** A quiet stream tells its cursor this often, so that it does not grow older than the events that are kept. */
const CURSOR_EVERY_MS = 3_600_000;

export interface StreamOptions {
  readonly events: EventStore;
  readonly follower: Follower;
  readonly after: bigint;
  readonly types: ReadonlySet<EventType> | undefined;
  /** Renders an event in one line, in the version that the reader asked for. */
  bodyOf(event: PlantEvent): string;
  /** Resolves with false once the reader may read no more. Asked before anything is given, and every 15 s. */
  mayGoOn(): Promise<boolean>;
  /** Called once, however the stream ends. */
  onEnd(error?: unknown): void;
}

/**
 * The feed as server-sent events (WHATWG HTML, 9.2): `id` is the cursor, `data` an Event in one line. Nothing is read
 * ahead: while the connection takes nothing, at most one chunk waits for it.
 */
export function eventStream(options: StreamOptions): ReadableStream<Uint8Array> {
  const chunks = streamChunks(options);
  let ended = false;
  const end = (error?: unknown) => {
    if (ended) return;
    ended = true;
    options.follower.end();
    options.onEnd(error);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (ended) return;
        if (!done) return controller.enqueue(Buffer.from(value));
        end();
        controller.close();
      } catch (error) {
        end(error);
        throw error;
      }
    },
    cancel: () => end(),
  });
}

async function* streamChunks(options: StreamOptions): AsyncGenerator<string> {
  const { events, follower, after, types, bodyOf, mayGoOn } = options;
  // For clients that are cut off before the first event. Not every parser hands on an id that comes without data.
  const cursor = encodeEventCursor(after);
  yield `retry: 2000\nid: ${cursor}\n: cursor ${cursor}\n\n`;
  let next = after;
  for (let until: bigint | undefined; ; ) {
    const page = await events.read(follower.account, { after: next, limit: PAGE_EVENTS, types, until });
    next = page.next;
    if (page.events.length > 0) {
      if (!(await mayGoOn())) return;
      yield* rendered(page.events, bodyOf);
    }
    if (page.more) continue;
    until = yield* untilMore(options, next);
    if (until === undefined) return;
  }
}

/** Gives comments and made-up events until there may be more; undefined if the stream must end. */
async function* untilMore(
  { follower, mayGoOn }: StreamOptions,
  next: bigint,
): AsyncGenerator<string, bigint | undefined> {
  for (let toldAt = Date.now(); ; ) {
    const woken = await follower.next(next, COMMENT_EVERY_MS);
    if (woken.kind === "closed" || !(await mayGoOn())) return undefined;
    if (woken.kind === "events") return woken.until;
    const tellsCursor = Date.now() - toldAt >= CURSOR_EVERY_MS;
    if (woken.kind === "test") yield woken.bodies.map((body) => field("data", body)).join("");
    else yield tellsCursor ? field("id", encodeEventCursor(next)) : ":\n\n";
    if (tellsCursor) toldAt = Date.now();
  }
}

function* rendered(events: readonly PlantEvent[], bodyOf: StreamOptions["bodyOf"]): Generator<string> {
  let chunk = "";
  for (const event of events) {
    chunk += `id: ${encodeEventCursor(event.number)}\nevent: ${event.type}\n${field("data", bodyOf(event))}`;
    if (chunk.length < CHUNK_UNITS) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

function field(name: string, value: string): string {
  return `${name}: ${value}\n\n`;
}
