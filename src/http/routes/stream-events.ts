import type { Context } from "hono";
import { type EventType, eventsExpired } from "#core/event.ts";
import { isReported } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventHub } from "#events/event-hub.ts";
import { eventStream, type StreamOptions } from "#events/event-stream.ts";
import type { RequestContext } from "../request-context.ts";
import type { Env } from "../routing.ts";

/** A reader that takes nothing for this long is cut off; a comment every 15 s keeps the others connected. */
const SILENCE_S_MAX = 60;
/** The wait for transactions that hold the newest events back; after it the stream goes on with the older ones. */
const WAIT_MS_MAX = 2000;
const CHUNK_EVENTS_MAX = 100;
/** The shortest time that the runtime knows. */
const CUT_OFF_S = 1;

interface Stream {
  readonly account: AccountNumber;
  readonly hub: EventHub;
  readonly after: bigint;
  readonly types: ReadonlySet<EventType> | undefined;
}

/** `GET /events` as server-sent events. */
export async function streamEvents(c: Context<Env>, { account, hub, after, types }: Stream): Promise<Response> {
  const { context } = c.env;
  context.waitsForEvents = true;
  const headers = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    Vary: "Accept",
  };
  if (context.method === "HEAD") return new Response(new ReadableStream(), { headers });
  const { store, eventStreams } = context.service;
  // A cursor that is too old is refused while a refusal can still be sent.
  if (after < (await store.events.oldest())) throw eventsExpired();
  const end = eventStreams.take(account);
  context.server.timeout(context.arrived, SILENCE_S_MAX);
  const body = eventStream({ hub, account, after, ...readerOf(context, { account, types, end }) });
  return c.body(body, 200, headers);
}

/** A separate scope, so that a stream retains only the parts of its request that are named here. */
function readerOf(
  { service, arrived, server, cachedToken, id, apiVersion: version }: RequestContext,
  { account, types, end }: Pick<Stream, "account" | "types"> & { readonly end: () => void },
): Pick<StreamOptions, "read" | "isPermitted" | "cutOff" | "onEnd"> {
  const { tokens, log, reads, store } = service;
  return {
    async read(after, known) {
      const until = known ?? (await store.events.latest(WAIT_MS_MAX));
      const query = { after, until, limit: CHUNK_EVENTS_MAX, types };
      // The number of streams is bounded already.
      return reads.ask(account, "eventChunk", { account, version, query }, true);
    },
    // False once the token is revoked, expired or removed.
    isPermitted: () => cachedToken !== undefined && tokens.isStillGood(cachedToken, Date.now()),
    cutOff: () => server.timeout(arrived, CUT_OFF_S),
    onEnd(error) {
      end();
      if (error && !isReported(error)) log.error({ request_id: id, err: error }, "event stream broke off");
    },
  };
}
