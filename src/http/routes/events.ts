import type { Context } from "hono";
import { readEventCursor } from "#contract/event-cursor.ts";
import { type EventQuery, type EventRequest, eventNumber, newTestEventId } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventHub } from "#events/event-hub.ts";
import { EventWait } from "#events/event-wait.ts";
import type { Result } from "#load/channel.ts";
import { WAITS } from "#load/limits.ts";
import { Slots } from "#load/slots.ts";
import type { ArrivedRequest } from "../arrived-request.ts";
import { readBody } from "../body.ts";
import { mediaType } from "../media-type.ts";
import { chooseRepresentation } from "../negotiation.ts";
import type { ReadingFunctions } from "../reading/functions.ts";
import type { RequestContext } from "../request-context.ts";
import { type Addresses, type Env, permit, send } from "../routing.ts";
import type { EventFeed, ServiceParts } from "../service-parts.ts";
import { HELD_BACK_MS_MAX, streamEvents } from "./stream-events.ts";

/** `/events`, under each version. */
export function eventRoutes(feed: EventFeed): Addresses {
  const waits = new Slots(WAITS);
  return {
    "/events": { GET: (c) => readFeed(c, feed, waits) },
    "/events/test": {
      POST: async (c) => {
        const { token } = await permit(c, "plants:read", "events");
        mediaType(c.req.raw, ["application/json"]);
        const { shape } = c.env.context.version;
        const type = await readBody(c.env.context, token.account, "readWebhookTest");
        const id = newTestEventId(crypto.randomUUID());
        const sent = feed.hub.sendTest(token.account, shape.testEventBody(id, type, Date.now()));
        return json(c, JSON.stringify({ id, streams: sent }));
      },
    },
    "/events/:id": {
      GET: async (c) => {
        const { token } = await permit(c, "plants:read", "events");
        const { service, version } = c.env.context;
        const number = eventNumber(c.req.param("id") ?? "");
        const event = number === undefined ? undefined : await service.records.events.find(token.account, number);
        if (!event) throw new Failure("not-found", "There is no such event, or it is no longer kept");
        return json(c, version.shape.eventBody(event));
      },
    },
  };
}

async function readFeed(c: Context<Env>, feed: EventFeed, waits: Slots): Promise<Response> {
  const cached = await permit(c, "plants:read", "events");
  const { account } = cached.token;
  const { context } = c.env;
  const { service } = context;
  const query = context.version.shape.readEventQuery(context.query);
  const type = chooseRepresentation(c.req.header("accept"), ["application/json", "text/event-stream"]);
  if (type === "text/event-stream") {
    const last = c.req.header("last-event-id");
    const after = await startOf(service, last ? readEventCursor(last) : query.cursor);
    return streamEvents(c, feed, { cached, after, types: query.types });
  }
  const page = await awaitedPage(context, { account, hub: feed.hub, waits, query });
  return json(c, page.bytes);
}

function json(c: Context<Env>, body: string | Uint8Array<ArrayBuffer>): Response {
  return send(c, body, { "Content-Type": "application/json", "Cache-Control": "no-store", Vary: "Accept" });
}

interface Awaited {
  readonly account: AccountNumber;
  readonly hub: EventHub;
  readonly waits: Slots;
  readonly query: EventRequest;
}

/** The page. An empty page is held back for the time that the request asks for. */
async function awaitedPage(context: RequestContext, { account, hub, waits, query }: Awaited): Promise<ReadEvents> {
  const after = await startOf(context.service, query.cursor);
  const read = (from: bigint) => readEvents(context, account, { ...query, after: from });
  if (query.waitSeconds === 0) return read(after);
  const end = waits.take(account);
  context.report.isTimed = false;
  const { raw } = context;
  // It may be silent for longer than other requests.
  context.server.timeout(raw, query.waitSeconds + 15);
  const wait = new EventWait(hub, account);
  const onLeave = () => wait.close();
  raw.signal.addEventListener("abort", onLeave);
  if (raw.signal.aborted) onLeave();
  try {
    const deadline = performance.now() + 1000 * query.waitSeconds;
    let page = await read(after);
    while (page.isEmpty && !page.more) {
      if (!(await wait.next(page.next, deadline - performance.now()))) break;
      page = await read(page.next);
    }
    return page;
  } finally {
    raw.signal.removeEventListener("abort", onLeave);
    wait.close();
    end();
  }
}

type ReadEvents = Result<ReadingFunctions, "eventPage">;

/** Settled events are read first. Only a reader that reaches their end waits for the newest. */
async function readEvents(
  { service, apiVersion: version }: ArrivedRequest,
  account: AccountNumber,
  { after, limit, types }: Omit<EventQuery, "until">,
): Promise<ReadEvents> {
  const { events } = service.records;
  const readTo = (until: bigint) =>
    service.reads.ask(account, "eventPage", { account, version, query: { after, until, limit, types } });
  const { settled } = events;
  const first = settled !== undefined && after < settled ? await readTo(settled) : undefined;
  if (first?.more) return first;
  const until = await events.latest(HELD_BACK_MS_MAX);
  return first && until <= first.next ? first : readTo(until);
}

async function startOf({ records }: Pick<ServiceParts, "records">, cursor: EventRequest["cursor"]): Promise<bigint> {
  if (cursor === "latest") return records.events.latest();
  return cursor ?? records.events.oldest();
}
