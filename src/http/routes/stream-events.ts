import type { Context } from "hono";
import type { EventType } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventHub } from "#events/event-hub.ts";
import { eventStream, type StreamOptions } from "#events/event-stream.ts";
import type { AccountSlots } from "../account-slots.ts";
import type { Env } from "../env.ts";
import type { RequestContext } from "../request-context.ts";
import type { Service } from "../service.ts";

/** A reader that takes nothing for this long is cut off; a comment every 15 s keeps the others connected. */
const SILENCE_S_MAX = 60;
/** The shortest time that the runtime knows. */
const CUT_OFF_S = 1;

interface Stream {
  readonly account: AccountNumber;
  readonly hub: EventHub;
  readonly streams: AccountSlots;
  readonly after: bigint;
  readonly types: ReadonlySet<EventType> | undefined;
}

/** `GET /events` as server-sent events. */
export async function streamEvents(service: Service, c: Context<Env>, stream: Stream): Promise<Response> {
  const { account, hub, streams, after, types } = stream;
  const { context } = c.env;
  context.waitsForEvents = true;
  const headers = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    Vary: "Accept",
  };
  if (context.method === "HEAD") return new Response(new ReadableStream(), { headers });
  // A cursor that is too old is refused while a refusal can still be sent.
  await service.store.events.read(account, { after, limit: 1, types, until: after });
  const end = streams.take(account);
  context.server.timeout(context.arrived, SILENCE_S_MAX);
  const body = eventStream({
    events: service.store.events,
    hub,
    account,
    after,
    types,
    ...readerOf(service, context, end),
  });
  return c.body(body, 200, headers);
}

/** A separate scope, so that a stream retains only the parts of its request that are named here. */
function readerOf(
  { tokens, log }: Service,
  { arrived, server, cachedToken, id, version }: RequestContext,
  end: () => void,
): Pick<StreamOptions, "bodyOf" | "isPermitted" | "cutOff" | "onEnd"> {
  return {
    bodyOf: version.shape.eventBody,
    // False once the token is revoked, expired or removed.
    isPermitted: () => cachedToken !== undefined && tokens.isStillGood(cachedToken, Date.now()),
    cutOff: () => server.timeout(arrived, CUT_OFF_S),
    onEnd(error) {
      end();
      if (error) log.error({ request_id: id, err: error }, "event stream broke off");
    },
  };
}
