import type { Context } from "hono";
import type { EventType } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventHub } from "#events/event-hub.ts";
import { eventStream } from "#events/event-stream.ts";
import type { AccountSlots } from "../account-slots.ts";
import { authenticate } from "../bearer.ts";
import type { Env } from "../env.ts";
import type { RequestContext } from "../request-context.ts";
import type { Service } from "../service.ts";

/** A reader that takes nothing for as long is cut off; a comment every 15 s keeps the others. */
const SILENCE_S_MAX = 60;

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
  const headers = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    Vary: "Accept",
  };
  if (context.method === "HEAD") return new Response(new ReadableStream(), { headers });
  // A cursor that is too old is refused as long as a refusal can be sent.
  await service.store.events.read(account, { after, limit: 1, types, until: after });
  const end = streams.take(account);
  const follower = hub.follow(account);
  follower.takesTests = true;
  context.server.timeout(context.arrived, SILENCE_S_MAX);
  context.arrived.signal.addEventListener("abort", () => follower.end());
  const onEnd = (error?: unknown) => {
    end();
    if (error) service.log.error({ requestId: context.id, err: error }, "event stream broke off");
  };
  const { events } = service.store;
  const mayGoOn = () => stillPermitted(context);
  const { eventBody: bodyOf } = context.version.shape;
  return c.body(eventStream({ events, follower, after, types, bodyOf, mayGoOn, onEnd }), 200, headers);
}

/** False once the token is revoked, expired or removed. */
async function stillPermitted(context: RequestContext): Promise<boolean> {
  try {
    await authenticate(context, "plants:read", Date.now());
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
