import type { ApiCaller } from "#core/caller.ts";
import { type EventType, eventsExpired } from "#core/event.ts";
import { isReported } from "#core/failure.ts";
import { eventStream, type StreamOptions } from "../feed/event-stream.ts";
import { UncountedAnswer } from "../large-answer.ts";
import type { RequestContext } from "../request-context.ts";
import type { EventFeed } from "../service-parts.ts";

/** A reader that takes nothing for this long is cut off; a comment every 15 s keeps the others connected. */
const SILENCE_S_MAX = 60;
/** The wait for transactions that hold the newest events back; after it a page or a stream has the older ones. */
export const HELD_BACK_MS_MAX = 2000;

interface Stream {
  readonly caller: ApiCaller;
  readonly after: bigint;
  readonly types: ReadonlySet<EventType> | undefined;
  readonly plant: bigint | undefined;
}

/** `GET /events` as server-sent events. */
export async function streamEvents(context: RequestContext, feed: EventFeed, stream: Stream): Promise<Response> {
  const { after, caller } = stream;
  const { account } = caller;
  context.report.isTimed = false;
  const headers = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    Vary: "Accept",
  };
  const { records } = context.service;
  // A cursor that is too old is refused while a refusal can still be sent.
  if (after < (await records.events.oldest())) throw eventsExpired();
  if (context.method === "HEAD") return new Response(new ReadableStream(), { headers });
  let close = () => {};
  const end = feed.streams.acquire(context.subject, 1, () => close());
  context.server.timeout(context.raw, SILENCE_S_MAX);
  const onOpen = (ends: () => void) => {
    close = ends;
  };
  const body = eventStream({ hub: feed.hub, account, after, onOpen, ...readerOf(context, stream, end) });
  return new UncountedAnswer(body, { headers });
}

/** A separate scope, so that a stream retains only the parts of its request that are named here. */
function readerOf(
  { service, subject, raw, server, id }: RequestContext,
  { caller, types, plant }: Stream,
  end: () => void,
): Pick<StreamOptions, "read" | "isPermitted" | "cutOff" | "onEnd"> {
  const { log, reads, records } = service;
  const { account, person } = caller;
  return {
    async read(after, known) {
      const until = known ?? (await records.events.latest(HELD_BACK_MS_MAX));
      const query = { after, until, limit: 100, types, plant };
      // The number of streams is bounded already.
      return reads.ask(subject, "eventChunk", { account, query, withDoers: person !== undefined }, true);
    },
    isPermitted: () => caller.stillMay(),
    // A second is the shortest time that the runtime knows.
    cutOff: () => server.timeout(raw, 1),
    onEnd(error) {
      end();
      if (error && !isReported(error)) log.error({ request_id: id, err: error }, "event stream broke off");
    },
  };
}
