import { readEventCursor } from "#contract/event-cursor.ts";
import { malformed } from "#contract/parameters.ts";
import type { EVENT_OPERATIONS } from "#contract/v1/event-operations.ts";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import type { ApiCaller } from "#core/caller.ts";
import { type EventQuery, type EventRequest, eventNumber, newTestEventId } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import { INT64_MAX } from "#core/int64.ts";
import { ANSWER_MEMORY } from "#load/limit-groups.ts";
import { Slots } from "#load/slots.ts";
import type { Result } from "#threads/channel.ts";
import { readBody } from "../body.ts";
import { requireStill } from "../callers.ts";
import type { EventHub } from "../feed/event-hub.ts";
import { EventWait } from "../feed/event-wait.ts";
import { chooseRepresentation } from "../negotiation.ts";
import type { Act } from "../operation.ts";
import type { ReadingFunctions } from "../reading/functions.ts";
import type { RequestContext } from "../request-context.ts";
import type { EventFeed, ServiceParts } from "../service-parts.ts";
import { HELD_BACK_MS_MAX, streamEvents } from "./stream-events.ts";

/** Requests that wait for events. */
const WAITS = ANSWER_MEMORY.row("waiting-requests", "account", { each: 64, all: 4096 });

const EVENT_CONTENT = ["application/json", "text/event-stream"] as const;

export function eventActs(feed: EventFeed): Record<keyof typeof EVENT_OPERATIONS, Act> {
  const waits = new Slots(WAITS);
  return {
    listEvents: (context, caller) => readFeed(context, caller, feed, waits),
    async sendTestEvent(context, caller) {
      const type = await readBody(context, caller, "readWebhookTest");
      const id = newTestEventId(crypto.randomUUID());
      const sent = feed.hub.sendTest(caller.account, SHAPE_1.testEventBody(id, type, Date.now()));
      return json(context, JSON.stringify({ id, streams: sent }));
    },
    async getEvent(context, { account, person }, id) {
      const { service, subject } = context;
      const number = eventNumber(id);
      const asked = { account, withDoers: person !== undefined };
      const event = number === undefined ? undefined : await service.reads.ask(subject, "event", { ...asked, number });
      if (!event) throw new Failure("not-found", "There is no such event, or it is no longer kept");
      return json(context, event.bytes);
    },
  };
}

async function readFeed(context: RequestContext, caller: ApiCaller, feed: EventFeed, waits: Slots): Promise<Response> {
  const { service, raw } = context;
  const query = SHAPE_1.readEventQuery(context.query, { byPerson: caller.person !== undefined });
  if (query.newestFirst) return readBack(context, caller, query);
  const type = chooseRepresentation(raw.headers.get("accept"), EVENT_CONTENT);
  if (type === "text/event-stream") {
    const last = raw.headers.get("last-event-id");
    const after = await startOf(service, last ? readEventCursor(last) : query.cursor);
    return streamEvents(context, feed, { caller, after, types: query.types, plant: query.plant });
  }
  const page = await awaitedPage(context, caller, query, feed.hub, waits);
  return json(context, page.bytes);
}

function json(context: RequestContext, body: string | Uint8Array<ArrayBuffer>): Response {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store", Vary: "Accept" };
  return context.service.guards.largeAnswers.withBody(context, body, { headers });
}

/** Reads events newest first, of one plant or of the whole feed. */
async function readBack(
  context: RequestContext,
  { account, person }: ApiCaller,
  { cursor, plant, limit, types, doneBy }: EventRequest,
): Promise<Response> {
  if (chooseRepresentation(context.raw.headers.get("accept"), EVENT_CONTENT) === "text/event-stream")
    throw malformed('"order=-timestamp" is for pages, and a stream has no end to begin at');
  const { service, subject } = context;
  const before = typeof cursor === "bigint" ? cursor : INT64_MAX;
  const asked = { account, withDoers: person !== undefined };
  if (plant !== undefined) {
    const query = { before, plant, limit, types };
    return json(context, (await service.reads.ask(subject, "historyPage", { ...asked, query })).bytes);
  }
  // Events after it may still be committed before those that are there.
  const end = (await service.records.events.latest(HELD_BACK_MS_MAX)) + 1n;
  const query = { before: before < end ? before : end, limit, types, person: doneBy };
  return json(context, (await service.reads.ask(subject, "newestPage", { ...asked, query })).bytes);
}

/**
 * The page. An empty page is held back for the time that the request asks for, and its caller is checked again after it.
 */
async function awaitedPage(
  context: RequestContext,
  caller: ApiCaller,
  query: EventRequest,
  hub: EventHub,
  waits: Slots,
): Promise<ReadEvents> {
  const after = await startOf(context.service, query.cursor);
  const read = (from: bigint) => readEvents(context, caller, { ...query, after: from });
  if (query.waitSeconds === 0) return read(after);
  const end = waits.acquire(context.subject, 1, () => {
    end();
    wait.close();
  });
  context.report.isTimed = false;
  const { raw } = context;
  // It may be silent for longer than other requests.
  context.server.timeout(raw, query.waitSeconds + 15);
  const wait = new EventWait(hub, caller.account);
  const onLeave = () => wait.close();
  raw.signal.addEventListener("abort", onLeave);
  if (raw.signal.aborted) onLeave();
  try {
    const deadline = performance.now() + 1000 * query.waitSeconds;
    let page = await read(after);
    while (page.isEmpty && !page.more) {
      const hasMore = await wait.next(page.next, deadline - performance.now());
      await requireStill(caller);
      if (!hasMore) break;
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
  { service, subject }: RequestContext,
  { account, person }: ApiCaller,
  { after, limit, types, plant }: Omit<EventQuery, "until">,
): Promise<ReadEvents> {
  const { events } = service.records;
  const withDoers = person !== undefined;
  const readTo = (until: bigint) =>
    service.reads.ask(subject, "eventPage", {
      account,
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
