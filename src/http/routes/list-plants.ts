import { encodeCursor } from "#contract/cursor.ts";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import type { ApiCaller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { PlantQuery } from "#core/records.ts";
import type { Slots } from "#load/slots.ts";
import { chooseRepresentation, LIST_TYPES } from "../negotiation.ts";
import type { RequestContext } from "../request-context.ts";
import { eventsCursor, exportPlants } from "./export-plants.ts";

const EXPORT_OF_ALL =
  "The query is malformed: an export has every plant and takes no parameter; for those that a query finds, accept application/json";

/** A page of the list, or an export of every plant if `Accept` asks for one. */
export async function listPlants(context: RequestContext, caller: ApiCaller, running: Slots): Promise<Response> {
  const { service } = context;
  const { account } = caller;
  const { parameters, ids, sorted, ...query } = SHAPE_1.readPlantQuery(context.query, {
    byPerson: caller.person !== undefined,
  });
  if (query.q) context.report.route = "search";
  const type = chooseRepresentation(context.raw.headers.get("accept"), LIST_TYPES);
  if (type !== "application/json") {
    if (Object.keys(parameters).length > 0) throw new Failure("address-malformed", EXPORT_OF_ALL);
    return exportPlants(context, caller, running, type);
  }
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "Cache-Control": "private, no-cache",
    Vary: "Accept",
    ...(await eventsCursor(service)),
  };
  const start = performance.now();
  const { bytes, cursor } = await (sorted
    ? service.reads.ask(context.subject, "sortedPlantPage", { account, query: sorted })
    : ids
      ? service.reads.ask(context.subject, "plantsOfIds", { account, ids, tag: query.tag })
      : readPage(context, account, query));
  if (query.q || (query.tag !== undefined && !ids)) {
    service.observation.meter.observe("plantstore_search_seconds", (performance.now() - start) / 1000);
  }
  if (cursor !== null) {
    // RFC 8288. The address is absolute, since not every client resolves a relative one.
    const address = context.client.origin + context.path;
    headers.Link = `<${address}?${SHAPE_1.nextPageQuery({ parameters }, cursor)}>; rel="next"`;
  }
  return service.guards.largeAnswers.withBody(context, bytes, { headers });
}

/** Has the page read by a reading thread unless it is short, since handing it over takes longer than reading a short one. */
async function readPage({ service, subject }: RequestContext, account: AccountNumber, query: PlantQuery) {
  const page = await service.records.plants.listShort(account, query);
  if (!page) return service.reads.ask(subject, "plantPage", { account, query });
  const cursor = page.next === undefined ? null : encodeCursor(query.order, page.next);
  return { bytes: SHAPE_1.plantPageBody(page.plants, cursor), cursor };
}
