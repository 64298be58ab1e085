import type { Context } from "hono";
import { readEventCursor } from "#contract/event-cursor.ts";
import { type EventQuery, type EventRequest, eventNumber, newTestEventId } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import { INT64_MAX } from "#core/int64.ts";
import type { Token } from "#core/token.ts";
import type { EventHub } from "#events/event-hub.ts";
import { EventWait } from "#events/event-wait.ts";
import type { Result } from "#load/channel.ts";
import { WAITS } from "#load/limits.ts";
import { Slots } from "#load/slots.ts";
import { readBody } from "../body.ts";
import { mediaType } from "../media-type.ts";
import { chooseRepresentation } from "../negotiation.ts";
import type { ReadingFunctions } from "../reading/functions.ts";
import type { RequestContext } from "../request-context.ts";
import { type Addresses, admission, type Env, permit, send } from "../routing.ts";
import type { EventFeed, ServiceParts } from "../service-parts.ts";
import { HELD_BACK_MS_MAX, streamEvents } from "./stream-events.ts";

/** `/events`, under each version. */
export function eventRoutes(feed: EventFeed): Addresses {
  const waits = new Slots(WAITS);
  return {
    "/events": { GET: (c) => readFeed(c, feed, waits) },
    "/events/test": {
      POST: async (c) => {
        const { token } = await permit(c.env.context, "plants:read", "events");
        mediaType(c.req.raw, ["application/json"]);
        const { shape } = c.env.context.version;
        const type = await readBody(c.env.context, "readWebhookTest");
        const id = newTestEventId(crypto.randomUUID());
        const sent = feed.hub.sendTest(token.account, shape.testEventBody(id, type, Date.now()));
        return json(c, JSON.stringify({ id, streams: sent }));
      },
    },
    "/events/:id": {
      GET: async (c) => {
        const { token } = await permit(c.env.context, "plants:read", "events");
        const { service, version } = c.env.context;
        const number = eventNumber(c.req.param("id") ?? "");
        const { events } = service.records;
        const event =
          number === undefined ? undefined : await events.find(token.account, number, admission(c.env.context));
        if (!event) throw new Failure("not-found", "There is no such event, or it is no longer kept");
        if (!token.session) return json(c, version.shape.eventBody(event));
        const [by] = await events.doers(token.account, [event]);
        return json(c, version.shape.eventBodyWithDoer(event, by));
      },
    },
  };
}

async function readFeed(c: Context<Env>, feed: EventFeed, waits: Slots): Promise<Response> {
  const cached = await permit(c.env.context, "plants:read", "events");
  const { context } = c.env;
  const { service } = context;
  const query = context.version.shape.readEventQuery(context.query);
  if (query.newestFirst) return readHistory(c, cached.token, query);
  const type = chooseRepresentation(c.req.header("accept"), ["application/json", "text/event-stream"]);
  if (type === "text/event-stream") {
    const last = c.req.header("last-event-id");
    const after = await startOf(service, last ? readEventCursor(last) : query.cursor);
    return streamEvents(c, feed, { cached, after, types: query.types, plant: query.plant });
  }
  const page = await awaitedPage(context, { token: cached.token, hub: feed.hub, waits, query });
  return json(c, page.bytes);
}

function json(c: Context<Env>, body: string | Uint8Array<ArrayBuffer>): Response {
  return send(c, body, { "Content-Type": "application/json", "Cache-Control": "no-store", Vary: "Accept" });
}

/** From the newest event of a plant back. */
async function readHistory(
  c: Context<Env>,
  { account, session }: Token,
  { cursor, plant = 0n, limit, types }: EventRequest,
): Promise<Response> {
  chooseRepresentation(c.req.header("accept"), ["application/json"]);
  const { service, subject, apiVersion: version } = c.env.context;
  const before = typeof cursor === "bigint" ? cursor : INT64_MAX;
  const query = { before, plant, limit, types };
  const withDoers = session !== undefined;
  return json(c, (await service.reads.ask(subject, "historyPage", { account, version, query, withDoers })).bytes);
}

interface Awaited {
  readonly token: Token;
  readonly hub: EventHub;
  readonly waits: Slots;
  readonly query: EventRequest;
}

/** The page. An empty page is held back for the time that the request asks for. */
async function awaitedPage(context: RequestContext, { token, hub, waits, query }: Awaited): Promise<ReadEvents> {
  const { account } = token;
  const after = await startOf(context.service, query.cursor);
  const read = (from: bigint) => readEvents(context, token, { ...query, after: from });
  if (query.waitSeconds === 0) return read(after);
  const end = waits.take(context.subject);
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
  { service, subject, apiVersion: version }: RequestContext,
  { account, session }: Token,
  { after, limit, types, plant }: Omit<EventQuery, "until">,
): Promise<ReadEvents> {
  const { events } = service.records;
  const withDoers = session !== undefined;
  const readTo = (until: bigint) =>
    service.reads.ask(subject, "eventPage", {
      account,
      version,
      withDoers,
      query: { after, until, limit, types, plant },
    });
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
