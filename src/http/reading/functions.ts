import type { BulkType } from "#contract/bulk-type.ts";
import { encodeCursor } from "#contract/cursor.ts";
import { encodeEventCursor, encodeHistoryCursor } from "#contract/event-cursor.ts";
import { type BodyReader, readBodyBy, SHAPE_1 } from "#contract/v1/shape.ts";
import type { EventPage, EventQuery, HistoryQuery, PlantEvent } from "#core/event.ts";
import type { AccountNumber, PlantRevision } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";
import type { PlantQuery } from "#core/records.ts";
import type { DeliveryQuery } from "#core/webhook.ts";
import type { Lanes } from "#load/lanes.ts";
import { eventChunk } from "../feed/event-chunk.ts";
import { firstNonEmptyPage, type InTurns, nonEmptyEvents } from "./in-turns.ts";
import { newestEvents } from "./newest-events.ts";
import type { PageParts, PageRequest } from "./page.ts";
import { PAGES } from "./pages.ts";
import { personEvents } from "./person-events.ts";
import { replayedEvents } from "./replayed-events.ts";
import { type SortedQuery, sortedPlants } from "./sorted-plants.ts";
import { waitingSince } from "./waiting-since.ts";

interface Asked {
  readonly account: AccountNumber;
}

/** The work of a reading thread: everything from the query to the bytes of the answer. */
export type ReadingFunctions = ReturnType<typeof readingFunctions>;

/** The reading threads, in turn by account. */
export type ReadingThreads = Lanes<ReadingFunctions>;

export function readingFunctions(parts: PageParts) {
  const { reads } = parts;
  const eventBodies = async ({ account, withDoers }: AskedEvents, events: readonly PlantEvent[]) => {
    const { eventBody, eventBodyWithDoer } = SHAPE_1;
    if (!withDoers) return events.map(eventBody);
    const doers = await reads.events.doers(account, events);
    return events.map((event, index) => eventBodyWithDoer(event, doers[index]));
  };
  return {
    /** A page of the list, and the cursor of the next one. */
    async *plantPage({ account, query }: Asked & { readonly query: PlantQuery }) {
      const { plants, next } = yield* firstNonEmptyPage(reads.plants, account, query);
      const cursor = next === undefined ? null : encodeCursor(query.order, next);
      return { bytes: encoded(SHAPE_1.plantPageBody(plants, cursor)), cursor };
    },

    /** A page of the list in an order that pages of the dashboard alone have. */
    async *sortedPlantPage({ account, query }: Asked & { readonly query: SortedQuery }) {
      const { plants, next } = yield* sortedPlants(reads.plants, account, query);
      const cursor = next === undefined ? null : encodeCursor(query.order, BigInt(next));
      return { bytes: encoded(SHAPE_1.plantPageBody(plants, cursor)), cursor };
    },

    /** The plants of these ids, in their order, without a next page. */
    async plantsOfIds({ account, ids, tag }: Asked & { readonly ids: readonly bigint[] } & Pick<PlantQuery, "tag">) {
      const found = await reads.plants.findEach(account, ids);
      const plants = tag === undefined ? found : found.filter((plant) => plant.tag === tag);
      return { bytes: encoded(SHAPE_1.plantPageBody(plants, null)), cursor: null };
    },

    /** A plant with long texts. */
    async plant({ account, id }: Asked & { readonly id: bigint }) {
      const plant = await reads.plants.find(account, id);
      return plant && { ...revisionOf(plant), bytes: encoded(SHAPE_1.keptPlantBody(plant)) };
    },

    async *exportPages({ account, type }: Asked & { readonly type: BulkType }) {
      const { record } = SHAPE_1.exports[type];
      for await (const page of reads.plants.export(account)) yield { bytes: encoded(page.map(record).join("")) };
    },

    async eventPage({ query, ...asked }: AskedEvents & { readonly query: EventQuery }) {
      const { events, next, more } = await reads.events.read(asked.account, query);
      const bodies = await eventBodies(asked, events);
      const body = SHAPE_1.eventPageBody(bodies, encodeEventCursor(next), more);
      return { bytes: encoded(body), isEmpty: events.length === 0, next, more };
    },

    async event({ number, ...asked }: AskedEvents & { readonly number: bigint }) {
      const event = await reads.events.find(asked.account, number);
      if (!event) return undefined;
      const [body = ""] = await eventBodies(asked, [event]);
      return { bytes: encoded(body) };
    },

    /** A page of a plant's history. */
    async *historyPage({ query, ...asked }: AskedEvents & { readonly query: HistoryQuery }) {
      const { account } = asked;
      const { events, next, more } = yield* nonEmptyEvents(query.before, (before) =>
        reads.events.history(account, { ...query, before }),
      );
      const bodies = await eventBodies(asked, events);
      return { bytes: encoded(SHAPE_1.eventPageBody(bodies, encodeHistoryCursor(next), more)) };
    },

    /** A page of the whole feed from its newest event back; without a cursor at the oldest event that is kept. */
    async *newestPage({ query, ...asked }: AskedEvents & { readonly query: NewestPageQuery }) {
      const { events, next, more } = yield* newestPageOf(reads.events, asked.account, query);
      const bodies = await eventBodies(asked, events);
      return { bytes: encoded(SHAPE_1.eventPageBody(bodies, more ? encodeHistoryCursor(next) : null, more)) };
    },

    /** The next part of a stream. */
    async eventChunk({ query, ...asked }: AskedEvents & { readonly query: EventQuery }) {
      const page = await reads.events.read(asked.account, query);
      return eventChunk(page, await eventBodies(asked, page.events));
    },

    waitingSince: ({ account, ...query }: Pick<Asked, "account"> & Parameters<typeof waitingSince>[2]) =>
      waitingSince(reads.events, account, query),

    replayedEvents: (request: Parameters<typeof replayedEvents>[1]) => replayedEvents(reads, request),

    /** A page of the log of a webhook endpoint. */
    async deliveryPage({ endpoint, query }: DeliveryRequest) {
      const { deliveries, next } = await reads.webhooks.deliveries(endpoint, query);
      return { bytes: encoded(JSON.stringify(SHAPE_1.deliveryPageRecord(deliveries, next))) };
    },

    /** A body so long, or so deep, that its reading would hold up others. */
    body: ({ reader, text, more }: LargeBody) => readBodyBy(reader, text, more),

    /** A page of the dashboard's own routes. */
    async *page({ path, ...request }: PageRequest & { readonly path: string }) {
      const page = PAGES[path]?.read(parts, request);
      const answer = page && Symbol.asyncIterator in page ? yield* page : await page;
      return { bytes: encoded(typeof answer === "string" ? answer : JSON.stringify(answer)) };
    },
  };
}

function revisionOf({ number, revision }: PlantRevision): PlantRevision {
  return { number, revision };
}

interface AskedEvents extends Asked {
  /** True for a page of the dashboard, which shows who did what. */
  readonly withDoers: boolean;
}

interface NewestPageQuery extends Omit<HistoryQuery, "plant"> {
  /** Only what this person did. */
  readonly person: string | undefined;
}

async function* newestPageOf(
  events: EventReads,
  account: AccountNumber,
  { person, ...query }: NewestPageQuery,
): InTurns<EventPage> {
  if (person !== undefined) return yield* personEvents(events, account, { ...query, person });
  const { limit, types } = query;
  return yield* nonEmptyEvents(query.before, async (before) => {
    const page = await newestEvents(events, account, { until: before - 1n, limit, types });
    return { events: page.events, next: (page.next ?? 0n) + 1n, more: page.next !== undefined };
  });
}

interface LargeBody {
  readonly reader: BodyReader;
  readonly text: string;
  /** The reader's second argument. */
  readonly more?: bigint | number | undefined;
}

interface DeliveryRequest {
  readonly endpoint: string;
  readonly query: DeliveryQuery;
}

const ENCODER = new TextEncoder();

/** Encodes into a buffer of its own, which can be transferred to another thread. */
function encoded(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text);
}
