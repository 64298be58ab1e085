import { type Context, Hono } from "hono";
import { readEventCursor } from "#contract/event-cursor.ts";
import { type EventQuery, type EventRequest, eventNumber, newTestEventId } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventHub } from "#events/event-hub.ts";
import { EventWait } from "#events/event-wait.ts";
import type { Result } from "#load/channel.ts";
import { WAITS } from "#load/limits.ts";
import { Slots } from "#load/slots.ts";
import { allowOnly } from "../allow-only.ts";
import { readText } from "../body.ts";
import type { Env } from "../env.ts";
import { mediaType } from "../media-type.ts";
import { permit } from "../permit.ts";
import type { ReadingFunctions } from "../reading/functions.ts";
import { chooseRepresentation } from "../representation.ts";
import type { Service } from "../service.ts";
import { streamEvents } from "./stream-events.ts";

/** The wait for transactions that hold the newest events back; after it the page has the older ones. */
const WAIT_MS_MAX = 2000;
/** A request that waits for events may be silent for longer than others. */
const WAIT_MARGIN_S = 15;

/** `/events`, under each version. */
export function eventRoutes(service: Service, hub: EventHub, streams: Slots): Hono<Env> {
  const routes = new Hono<Env>();
  const waits = new Slots(WAITS);
  const { events } = service.store;

  routes.get("/events", async (c) => {
    c.env.context.route = "events";
    const { token } = await permit(service, c, "plants:read");
    const { shape } = c.env.context.version;
    const query = shape.readEventQuery(c.env.context.query);
    const type = chooseRepresentation(c.req.header("accept"), ["application/json", "text/event-stream"]);
    if (type === "text/event-stream") {
      const last = c.req.header("last-event-id");
      const cursor = last ? readEventCursor(last) : query.cursor;
      const after = await startOf(service, cursor);
      return streamEvents(service, c, { account: token.account, hub, streams, after, types: query.types });
    }
    const page = await awaitedPage(service, c, { account: token.account, hub, waits, query });
    return json(c, service.largeAnswers.body(token.account, page.bytes, c.env.context.method));
  });

  routes.post("/events/test", async (c) => {
    c.env.context.route = "events";
    const { token } = await permit(service, c, "plants:read");
    mediaType(c.req.raw, ["application/json"]);
    const { shape } = c.env.context.version;
    const type = shape.readWebhookTest(await readText(c.env.context));
    const id = newTestEventId(crypto.randomUUID());
    const sent = hub.sendTest(token.account, shape.testEventBody(id, type, Date.now()));
    return json(c, JSON.stringify({ id, streams: sent }));
  });

  routes.get("/events/:id", async (c) => {
    c.env.context.route = "events";
    const { token } = await permit(service, c, "plants:read");
    const id = c.req.param("id");
    const number = eventNumber(id);
    const event = number === undefined ? undefined : await events.find(token.account, number);
    if (!event) throw new Failure("event-unknown", "There is no such event, or it is no longer kept");
    return json(c, c.env.context.version.shape.eventBody(event));
  });

  allowOnly(routes, "/events", ["GET"]);
  allowOnly(routes, "/events/test", ["POST"]);
  allowOnly(routes, "/events/:id", ["GET"]);
  return routes;
}

function json(c: Context<Env>, body: string | Uint8Array<ArrayBuffer> | ReadableStream): Response {
  return c.body(body, 200, { "Content-Type": "application/json", "Cache-Control": "no-store", Vary: "Accept" });
}

interface Awaited {
  readonly account: AccountNumber;
  readonly hub: EventHub;
  readonly waits: Slots;
  readonly query: EventRequest;
}

/** The page. An empty page is held back for the time that the request asks for. */
async function awaitedPage(
  service: Service,
  c: Context<Env>,
  { account, hub, waits, query }: Awaited,
): Promise<ReadEvents> {
  const after = await startOf(service, query.cursor);
  const { version } = c.env.context.version.version;
  const read = (from: bigint) => readEvents(service, { account, version, query: { ...query, after: from } });
  if (query.waitSeconds === 0) return read(after);
  const end = waits.take(account);
  const { context } = c.env;
  context.waitsForEvents = true;
  context.server.timeout(context.arrived, query.waitSeconds + WAIT_MARGIN_S);
  const wait = new EventWait(hub, account);
  const onLeave = () => wait.close();
  context.arrived.signal.addEventListener("abort", onLeave);
  if (context.arrived.signal.aborted) onLeave();
  try {
    const deadline = performance.now() + 1000 * query.waitSeconds;
    let page = await read(after);
    while (page.isEmpty && !page.more) {
      if (!(await wait.next(page.next, deadline - performance.now()))) break;
      page = await read(page.next);
    }
    return page;
  } finally {
    context.arrived.signal.removeEventListener("abort", onLeave);
    wait.close();
    end();
  }
}

type ReadEvents = Result<ReadingFunctions, "eventPage">;
type ReadQuery = Omit<EventQuery, "until">;

/** Settled events are read first. Only a reader that reaches their end waits for the newest. */
async function readEvents(
  { store: { events }, reads }: Service,
  { query, ...asked }: { readonly account: AccountNumber; readonly version: string; readonly query: ReadQuery },
): Promise<ReadEvents> {
  const { after, limit, types } = query;
  const readTo = (until: bigint) =>
    reads.ask(asked.account, "eventPage", { ...asked, query: { after, until, limit, types } });
  const { settled } = events;
  const first = settled !== undefined && after < settled ? await readTo(settled) : undefined;
  if (first?.more) return first;
  const until = await events.latest(WAIT_MS_MAX);
  return first && until <= first.next ? first : readTo(until);
}

async function startOf({ store }: Service, cursor: EventRequest["cursor"]): Promise<bigint> {
  if (cursor === "latest") return store.events.latest();
  return cursor ?? store.events.oldest();
}
