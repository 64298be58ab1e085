import { encodeEventCursor } from "#contract/event-cursor.ts";
import type { AccountNumber } from "#core/plant.ts";
import { DECISION, REFUSED } from "#load/limit-groups.ts";
import { LimitGroup } from "#load/limit-row.ts";
import { CHUNK_BYTES, type EventChunk, eventField } from "./event-chunk.ts";
import type { EventHub, Follower } from "./event-hub.ts";

const STREAMED = new LimitGroup("memory of answers", "plantstore_streams", REFUSED, DECISION);
export const STREAMS = STREAMED.row("streams", "account", { each: 8, all: 1000 });
const STREAM_QUEUE = STREAMED.row(
  "events that wait for a reader",
  "stream",
  { each: 256 * 1024, unit: "bytes", stalledMs: 5000 },
  "cut 5 s later",
);

/** A quiet stream sends its cursor this often, so that the cursor does not grow older than the stored events. */
const BEATS_TO_CURSOR = 240;
const QUEUE = { highWaterMark: STREAM_QUEUE.each - CHUNK_BYTES, size: (chunk?: Uint8Array) => chunk?.byteLength ?? 0 };

export interface StreamOptions {
  /** The next events, up to that number; by default up to the last that is committed. */
  read(after: bigint, until: bigint | undefined): Promise<EventChunk>;
  readonly hub: EventHub;
  readonly account: AccountNumber;
  readonly after: bigint;
  /** Resolves with false once the reader may no longer read. Asked before anything is sent, and three times a second. */
  isPermitted(): boolean | Promise<boolean>;
  /** 5 s by default. */
  readonly stalledMsMax?: number;
  /** Ends a connection that takes nothing. */
  cutOff(): void;
  /** Is handed the function that closes the stream. */
  onOpen?(close: () => void): void;
  /** Called once, however the stream ends. */
  onEnd(error?: unknown): void;
}

/** The feed as server-sent events (WHATWG HTML, 9.2): `id` is the cursor, `data` an Event in one line. */
export function eventStream(options: StreamOptions): ReadableStream<Uint8Array> {
  return new ReadableStream(new EventStream(options), QUEUE);
}

/**
 * `idle`: every event was sent. A commit leads to `reading`.
 * `reading`: the next events are read, and the reader's permission is asked. Leads to `reading` again, `full`, or `idle`.
 * `full`: the next events have no room. It leads to `reading` when the connection takes something; one that took nothing for
 * too long is cut off by another event.
 * `ended`: its reader left or may no longer read, or the feed failed or closed. Nothing leads out of it.
 */
type State = "idle" | "reading" | "full" | "ended";

/**
 * One reader. While its connection takes nothing, at most 256 KiB wait for it; the rest stays in the database. A full stream
 * whose connection took nothing between two heartbeats is cut off; its reader continues from the last id it saw. There may be
 * a thousand streams, so a quiet one holds no timer and no promise.
 */
class EventStream implements Follower, UnderlyingDefaultSource<Uint8Array> {
  readonly account: AccountNumber;
  #state: State = "idle";
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  /** Every event up to this number was sent. */
  #given: bigint;
  /** There may be events up to this number. */
  #until = -1n;
  #hasMore = true;
  #wasTaken = false;
  #takenAt = performance.now();
  #beats = 0;

  constructor(private readonly options: StreamOptions) {
    this.account = options.account;
    this.#given = options.after;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    // Gives clients that are cut off before the first event a cursor; the comment is for parsers that drop an id without data.
    const cursor = encodeEventCursor(this.#given);
    this.#give(`retry: 2000\nid: ${cursor}\n: cursor ${cursor}\n\n`);
    this.options.hub.follow(this);
    this.options.onOpen?.(() => this.close());
    if (this.options.hub.closed) this.close();
    else this.#readOn();
  }

  /** Called when the connection took something. */
  pull(): void {
    this.#wasTaken = true;
    this.#takenAt = performance.now();
    this.#readOn();
  }

  wake(until: bigint): void {
    this.#until = until;
    this.#readOn();
    const { stalledMsMax = STREAM_QUEUE.stalledMs } = this.options;
    if (this.#state === "full" && performance.now() - this.#takenAt > stalledMsMax) this.options.cutOff();
  }

  beat(): void {
    if (this.#hasRoom()) return void this.#giveNow(this.#comment());
    if (!this.#wasTaken) this.options.cutOff();
    this.#wasTaken = false;
  }

  check(): void {
    void this.#isPermitted().catch((error) => this.close(error));
  }

  giveTest(body: string): void {
    void this.#giveNow(eventField("data", body));
  }

  /** The reader sees a stream that ended normally, and reconnects. One that is full would not see the end. */
  close(error?: unknown): void {
    if (this.#state === "ended") return;
    const isFull = !this.#hasRoom();
    this.#end(error);
    this.#controller.close();
    if (isFull) this.options.cutOff();
  }

  cancel(): void {
    if (this.#state !== "ended") this.#end();
  }

  #end(error?: unknown): void {
    this.#state = "ended";
    this.options.hub.unfollow(this);
    this.options.onEnd(error);
  }

  #readOn(): void {
    if (this.#state === "reading") return;
    this.#state = this.#next();
    if (this.#state === "reading") void this.#read();
  }

  #next(): State {
    if (this.#state === "ended") return "ended";
    if (!this.#hasMore && this.#until <= this.#given) return "idle";
    return this.#hasRoom() ? "reading" : "full";
  }

  async #read(): Promise<void> {
    try {
      do {
        const until = this.#until > this.#given ? this.#until : undefined;
        const chunk = await this.options.read(this.#given, until);
        if (chunk.bytes.length === 0 || (await this.#isPermitted())) this.#giveChunk(chunk);
        this.#state = this.#next();
      } while (this.#state === "reading");
    } catch (error) {
      this.close(error);
    }
  }

  /** A chunk for which there is no room any more is read again. */
  #giveChunk({ bytes, next, more }: EventChunk): void {
    this.#hasMore = true;
    if (!this.#hasRoom()) return;
    if (bytes.length > 0) this.#controller.enqueue(bytes);
    this.#given = next;
    this.#hasMore = more;
  }

  /** Sends a line that is not part of the feed. A reader that is full may miss it. */
  async #giveNow(text: string): Promise<void> {
    try {
      const mayGive = await this.#isPermitted();
      if (mayGive && this.#hasRoom()) this.#give(text);
    } catch (error) {
      this.close(error);
    }
  }

  #comment(): string {
    this.#beats = (this.#beats + 1) % BEATS_TO_CURSOR;
    return this.#beats === 0 ? eventField("id", encodeEventCursor(this.#given)) : ":\n\n";
  }

  /** Ends the stream if its reader may no longer read. */
  async #isPermitted(): Promise<boolean> {
    const isPermitted = await this.options.isPermitted();
    if (!isPermitted) this.close();
    return isPermitted;
  }

  #hasRoom(): boolean {
    return this.#state !== "ended" && (this.#controller.desiredSize ?? 0) > 0;
  }

  #give(text: string): void {
    this.#controller.enqueue(Buffer.from(text));
  }
}
