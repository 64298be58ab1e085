import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import type { BulkFormat } from "./bulk-format.ts";
import { type CallOptions, type ClientOptions, requireKnownOptions } from "./call-options.ts";
import { Connection } from "./connection.ts";
import { PlantstoreError } from "./error.ts";
import {
  type EventPage,
  type EventPageQuery,
  type EventQuery,
  type EventType,
  feedCall,
  type PlantEvent,
  plantEvent,
  readEventPage,
  type SentTestEvent,
  type StreamedEvent,
} from "./event.ts";
import { followedEvents } from "./event-stream.ts";
import { ExportStream, exportedBytes, exportedPlants } from "./export.ts";
import { type ImportOptions, type ImportSummary, importFrom } from "./import.ts";
import { type ListQuery, PAGE_IDS_MAX, type PageQuery, type PlantPage, readPage } from "./page.ts";
import {
  type CreatedPlant,
  exactId,
  type Id,
  type NewPlant,
  newPlantJson,
  type PlantChange,
  type PutPlant,
  readCreatedPlant,
  readPutPlant,
  readStoredPlant,
  type StoredPlant,
  textsJson,
} from "./plant.ts";
import { type PlantToRemove, type RemovalOptions, type RemovalSummary, removalLines, removeFrom } from "./removal.ts";
import { ItemStream, type Items, ndjsonOf, type PlantSource, type TextSource, type UpdateSource } from "./stream.ts";
import { readToken, type SentToken } from "./token.ts";
import { WebhooksClient } from "./webhooks.ts";

/** A condition on the plant's version (RFC 9110, 13.1.1). Refused with 41201 if the plant has another one by now. */
export interface ConditionOptions extends CallOptions {
  readonly ifMatch?: string;
}

export interface PutOptions extends ConditionOptions {
  /** "*": only create, refused with 41201 if there is a plant with the id. */
  readonly ifNoneMatch?: "*";
}

export interface RemoveOptions extends ConditionOptions {
  /** True if it is no failure that there is no such plant. */
  readonly missingOk?: boolean;
}

export interface FormatOptions {
  readonly format: BulkFormat;
}

/**
 * The catalogue of a plant store, over HTTP: one method for each operation. Ids are bigints, exact to the last digit;
 * numbers are taken where they are safe integers (a RangeError otherwise).
 *
 * Every method throws a PlantstoreError when the service refuses, a PlantstoreUnreachable when no answer was had, and
 * the signal's reason when its signal aborts. Network failures, 429, 502, 503 and 504 are tried again with growing,
 * random pauses, `Retry-After` observed, where a repetition can do no harm.
 *
 * @example
 * ```ts
 * import { PlantstoreClient, PlantstoreError } from "@plantstore/client";
 *
 * // By PLANTSTORE_URL and PLANTSTORE_TOKEN of the environment; both can be passed too, as { url, token }.
 * const store = new PlantstoreClient();
 * try {
 *   await store.create({ id: 9007199254740993n, name: "Monstera deliciosa", tag: "indoor" });
 * } catch (error) {
 *   if (error instanceof PlantstoreError && error.code === "id-taken") console.log(error.message);
 * }
 * ```
 */
export class PlantstoreClient {
  readonly #connection: Connection;
  /** The account's webhook endpoints. */
  readonly webhooks: WebhooksClient;

  /** Throws a TypeError if the url is not an http or https address, or if url or token are nowhere. */
  constructor(options: ClientOptions = {}) {
    this.#connection = new Connection(options);
    this.webhooks = new WebhooksClient(this.#connection);
  }

  /**
   * Creates a plant; it is on disk when this resolves. The same plant again resolves too, with `replayed` true, so any
   * create may be repeated. Refused with 40901 if another plant has the id.
   *
   * @example
   * ```ts
   * const { replayed } = await store.create({ id: 42n, name: "Monstera deliciosa", tag: "indoor" });
   * console.log(replayed ? "was there already" : "created");
   * ```
   */
  async create(plant: NewPlant, options: CallOptions = {}): Promise<CreatedPlant> {
    const call = { method: "POST", path: "/plants", body: newPlantJson(plant), repeatable: true } as const;
    return this.#connection.ask(call, options, readCreatedPlant);
  }

  /**
   * Refused with 40403 if there is no such plant.
   *
   * @example
   * ```ts
   * const { name, createdAt } = await store.get(42n);
   * console.log(name, createdAt.toISOString());
   * ```
   */
  async get(id: Id, options: CallOptions = {}): Promise<StoredPlant> {
    return this.#connection.ask({ method: "GET", path: plantPath(id) }, options, readStoredPlant);
  }

  /**
   * One page of plants, to go through them at one's own pace.
   *
   * @example
   * ```ts
   * const { plants, nextCursor } = await store.page({ limit: 100, order: "-created_at" });
   * console.log(plants.length, nextCursor === null ? "that is all" : "and more");
   * ```
   */
  async page(query: PageQuery = {}, options: CallOptions = {}): Promise<PlantPage> {
    const { tag, q, order, limit, cursor } = query;
    const ids = query.ids?.map(exactId).join(",");
    const call = { method: "GET", path: "/plants", query: { tag, q, order, limit, cursor, ids } } as const;
    return this.#connection.ask(call, options, readPage);
  }

  /**
   * All plants that the query finds, fetched page by page (`pageSize`: 1 to 1000, 100 by default) as they are read.
   *
   * @example
   * ```ts
   * for await (const { id, name } of store.list({ tag: "indoor" })) console.log(id, name);
   * for await (const { id, name } of store.list({ ids: [42n, 43n] })) console.log(id, name);
   * ```
   */
  list(query: ListQuery & { readonly pageSize?: number } = {}, options: CallOptions = {}): ItemStream<StoredPlant> {
    return new ItemStream(() => this.#listed(query, options));
  }

  async *#listed(
    { pageSize, ids, ...query }: ListQuery & { readonly pageSize?: number },
    options: CallOptions,
  ): AsyncGenerator<StoredPlant> {
    // The same id twice may lie in two requests.
    const distinct = ids && [...new Set(ids.map(exactId))];
    for (let at = 0; distinct && at < distinct.length; at += PAGE_IDS_MAX)
      yield* (await this.page({ ...query, ids: distinct.slice(at, at + PAGE_IDS_MAX) }, options)).plants;
    if (distinct) return;
    let page: PlantPage | undefined;
    do {
      page = await this.page({ ...query, limit: pageSize, cursor: page?.nextCursor ?? undefined }, options);
      yield* page.plants;
    } while (page.nextCursor !== null);
  }

  /**
   * Changes texts of a plant, and gives the plant after the change; undefined if the token may not read. Without `ifMatch`
   * it is tried again only when the service said that it did nothing, as a repetition could undo what somebody else did
   * meanwhile. With it, a 41201 whose `inDoubt` is true may be the trace of an own try whose answer was lost: read the plant.
   *
   * @example
   * ```ts
   * const { etag } = await store.get(42n);
   * await store.change(42n, { name: "Swiss cheese plant", tag: null }, { ifMatch: etag });
   * ```
   */
  async change(
    id: Id,
    change: PlantChange,
    { ifMatch, ...options }: ConditionOptions = {},
  ): Promise<StoredPlant | undefined> {
    requireKnownOptions(options, ["ifMatch"]);
    const conditions = conditional(ifMatch, { "Content-Type": "application/merge-patch+json" });
    const call = { method: "PATCH", path: plantPath(id), body: textsJson(change), ...conditions } as const;
    const read = (json: string, headers: Headers) => (json === "" ? undefined : readStoredPlant(json, headers));
    return this.#connection.ask(call, options, read);
  }

  /**
   * Creates the plant, or replaces the one with its id. The same plant again writes nothing, with `replayed` true, so that it is
   * tried again as a create is; `ifMatch` keeps a late try from overwriting what somebody wrote in between, and a 41201 whose
   * `inDoubt` is true may be the trace of an own try.
   *
   * @example
   * ```ts
   * const { created, etag } = await store.put({ id: 42n, name: "Monstera deliciosa", tag: "indoor" });
   * await store.put({ id: 42n, name: "Swiss cheese plant" }, { ifMatch: etag });
   * console.log(created ? "created" : "replaced");
   * ```
   */
  async put(plant: NewPlant, { ifMatch, ifNoneMatch, ...options }: PutOptions = {}): Promise<PutPlant> {
    requireKnownOptions(options, ["ifMatch", "ifNoneMatch"]);
    const { headers } = conditional(ifMatch, ifNoneMatch && { "If-None-Match": ifNoneMatch });
    const body = textsJson(plant);
    const call = { method: "PUT", path: plantPath(plant.id), body, headers, repeatable: true } as const;
    return this.#connection.ask(call, options, readPutPlant);
  }

  /**
   * Removes the plant. Refused with 40403 if there is none, unless that is `missingOk`. Tried again as `change` is.
   *
   * @example
   * ```ts
   * await store.remove(42n, { missingOk: true });
   * ```
   */
  async remove(id: Id, { ifMatch, missingOk = false, ...options }: RemoveOptions = {}): Promise<void> {
    requireKnownOptions(options, ["ifMatch", "missingOk"]);
    const call = { method: "DELETE", path: plantPath(id), ...conditional(ifMatch) } as const;
    try {
      await this.#connection.ask(call, options, readNothing);
    } catch (error) {
      // An earlier try whose answer was lost has removed it, or somebody else has; either way it is removed.
      const isMissing = error instanceof PlantstoreError && error.error === ERROR_NUMBERS["plant-unknown"];
      if (!isMissing || !(missingOk || error.inDoubt)) throw error;
    }
  }

  /**
   * Removes any number of plants, by their ids or as they were read: then only in the version of their `etag`, if they have one.
   * They are sent in batches, as by `importPlants`. Ids that do not exist are counted as missing. `dryRun` removes
   * nothing.
   *
   * @example
   * ```ts
   * const { removed, missing } = await store.removeMany([42n, 43n]);
   * console.log(removed, "removed,", missing, "were not there");
   * await store.removeMany("id\n44\n", { format: "csv", dryRun: true });
   * ```
   */
  async removeMany(plants: Items<PlantToRemove>, options?: RemovalOptions): Promise<RemovalSummary>;
  async removeMany(text: TextSource, options: RemovalOptions & FormatOptions): Promise<RemovalSummary>;
  async removeMany(
    source: Items<PlantToRemove> | TextSource,
    { format, ...options }: RemovalOptions & Partial<FormatOptions> = {},
  ): Promise<RemovalSummary> {
    const text = format ? (source as TextSource) : removalLines(source as Items<PlantToRemove>);
    return removeFrom(this.#connection, text, format ?? "ndjson", options);
  }

  /**
   * Creates any number of plants, in batches of at most 10,000, holding one batch in memory; with `existing: "update"` changes
   * those that are there. The first batch is small, and tells the token's rate limit, by which the others are answered in
   * time. Each record is one create: refused ones are counted and given, and the rest goes on. Sending all of it again is
   * safe. The limits of time hold for each batch; by default 120 s for a try, and 600 s with its retries, of which there are
   * 20 once the first batch is answered, so that a restart of the service does not end it. Throws a RangeError for a record
   * over 16 MiB; what was reported by `onProgress` until then is on disk.
   *
   * @example
   * ```ts
   * const summary = await store.importPlants("id,name\n1,Aloe\n2,Fern\n", { format: "csv" });
   * for (const { line, message } of summary.refused) console.log(line, message);
   * await store.importPlants([{ id: 3n, name: "Ivy" }], { onProgress: ({ created }) => console.log(created) });
   * const { updated } = await store.importPlants([{ id: 3n, tag: null }], { existing: "update", dryRun: true });
   * console.log(updated, "would be updated");
   * ```
   */
  async importPlants(plants: PlantSource, options?: ImportOptions): Promise<ImportSummary>;
  async importPlants(
    plants: UpdateSource,
    options: ImportOptions & { readonly existing: "update" },
  ): Promise<ImportSummary>;
  async importPlants(text: TextSource, options: ImportOptions & FormatOptions): Promise<ImportSummary>;
  async importPlants(
    source: PlantSource | UpdateSource | TextSource,
    { format, ...options }: ImportOptions & Partial<FormatOptions> = {},
  ): Promise<ImportSummary> {
    const text = format ? (source as TextSource) : ndjsonOf(source as PlantSource | UpdateSource);
    return importFrom(this.#connection, text, format ?? "ndjson", options);
  }

  /**
   * The account's events as they happen, each with the cursor from which to go on after it. A connection that is cut is
   * opened again where it ended, so that nothing is lost and nothing comes twice; end it by leaving the loop or by the
   * signal. Refused with 41001 if the cursor is older than the events that are kept.
   *
   * @example
   * ```ts
   * for await (const { type, plantId, cursor } of store.events({ types: ["plant.created", "plant.removed"] })) {
   *   console.log(type, plantId, cursor);
   *   break;
   * }
   * ```
   */
  events(query: EventQuery = {}, options: CallOptions = {}): ItemStream<StreamedEvent> {
    return new ItemStream(() => followedEvents(this.#connection, query, options));
  }

  /**
   * One page of events, for readers that ask from time to time. `wait` keeps an empty answer back until there is one.
   *
   * @example
   * ```ts
   * const { events, nextCursor } = await store.eventPage({ types: ["plant.created"], wait: 1 });
   * console.log(events.length, "events; go on from", nextCursor);
   * ```
   */
  async eventPage(
    query?: EventPageQuery & { readonly order?: "timestamp" },
    options?: CallOptions,
  ): Promise<EventPage & { readonly nextCursor: string }>;
  async eventPage(query: EventPageQuery, options?: CallOptions): Promise<EventPage>;
  async eventPage(query: EventPageQuery = {}, options: CallOptions = {}): Promise<EventPage> {
    return this.#connection.ask(feedCall(query), options, readEventPage);
  }

  /**
   * Reads the events of the plants that have or had this id, newest first, page by page (`pageSize`: 1 to 1000, 100 by
   * default). Events are kept for a time that the operator sets.
   *
   * @example
   * ```ts
   * for await (const { timestamp, type, previous } of store.history(42n)) console.log(timestamp, type, previous);
   * ```
   */
  history(
    id: Id,
    query: Pick<EventQuery, "types"> & { readonly pageSize?: number } = {},
    options: CallOptions = {},
  ): ItemStream<PlantEvent> {
    return new ItemStream(() => this.#history(id, query, options));
  }

  async *#history(
    plant: Id,
    { types, pageSize: limit }: Pick<EventQuery, "types"> & { readonly pageSize?: number },
    options: CallOptions,
  ) {
    let page: EventPage | undefined;
    do {
      const cursor = page?.nextCursor ?? undefined;
      page = await this.eventPage({ plant, order: "-timestamp", types, limit, cursor }, options);
      yield* page.events;
    } while (page.hasMore);
  }

  /**
   * One event of the feed, with its text as it was sent. Refused with 40404 if there is none, or no longer.
   *
   * @example
   * ```ts
   * const { events } = await store.eventPage({ limit: 1 });
   * for (const { id } of events) console.log((await store.event(id)).json);
   * ```
   */
  async event(id: string, options: CallOptions = {}): Promise<PlantEvent & Pick<StreamedEvent, "json">> {
    const call = { method: "GET", path: `/events/${encodeURIComponent(id)}` } as const;
    return this.#connection.ask(call, options, (json) => ({ ...plantEvent(parseWithNumbersAsDigits(json)), json }));
  }

  /**
   * The token that the client sends, and its store: to test a connection.
   *
   * @example
   * ```ts
   * const { name, scopes, store: { name: storeName } } = await store.token();
   * console.log(name, "of", storeName, scopes);
   * ```
   */
  async token(options: CallOptions = {}): Promise<SentToken> {
    return this.#connection.ask({ method: "GET", path: "/token" }, options, readToken);
  }

  /** Sends a test event to the account's open streams. Resolves with its id and the number of streams. */
  async sendTestEvent(type: EventType = "plant.created", options: CallOptions = {}): Promise<SentTestEvent> {
    const call = { method: "POST", path: "/events/test", body: JSON.stringify({ type }) } as const;
    return this.#connection.ask(call, options, readSentTestEvent);
  }

  /**
   * Every plant, as of one moment: as plants, or as the bytes of a file if a format is given. Throws a
   * PlantstoreUnreachable if the export breaks off: it never ends early in silence. `timeoutMs` holds until it starts. Its
   * `cursor` is where `events` goes on after it.
   *
   * @example
   * ```ts
   * const snapshot = store.export();
   * for await (const plant of snapshot) console.log(plant.id, plant.name);
   * console.log("its events go on from", snapshot.cursor);
   * const file = await new Response(store.export({ format: "csv" }).readable()).blob();
   * console.log(file.size, "bytes");
   * ```
   */
  export(options?: CallOptions): ExportStream<StoredPlant>;
  export(options: CallOptions & FormatOptions): ExportStream<Uint8Array>;
  export({ format, ...options }: CallOptions & Partial<FormatOptions> = {}): ExportStream<StoredPlant | Uint8Array> {
    requireKnownOptions(options, ["format"]);
    return new ExportStream<StoredPlant | Uint8Array>((opened) =>
      format
        ? exportedBytes(this.#connection, format, options, opened)
        : exportedPlants(this.#connection, options, opened),
    );
  }
}

function plantPath(id: Id): string {
  return `/plants/${exactId(id)}`;
}

/** A call with a condition can be repeated: if it was carried out before, it changes nothing the second time. */
function conditional(ifMatch: string | undefined, headers: Record<string, string> = {}) {
  return ifMatch === undefined ? { headers } : { headers: { ...headers, "If-Match": ifMatch }, repeatable: true };
}

function readSentTestEvent(json: string): SentTestEvent {
  const { id, streams } = JSON.parse(json);
  if (typeof id !== "string" || typeof streams !== "number") throw new TypeError("The answer holds no test event");
  return { id, streams };
}

function readNothing(body: string): void {
  if (body !== "") throw new TypeError("The answer to a removal is empty");
}
