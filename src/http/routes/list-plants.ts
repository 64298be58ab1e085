import type { Context } from "hono";
import type { Slots } from "#load/slots.ts";
import { publicOrigin } from "../address.ts";
import { chooseRepresentation, LIST_TYPES } from "../negotiation.ts";
import { type Env, permit, send } from "../routing.ts";
import { eventsCursor, exportPlants } from "./export-plants.ts";

/** `GET /plants`: a page of the list, or an export of every plant if `Accept` asks for one. */
export async function listPlants(c: Context<Env>, running: Slots): Promise<Response> {
  const { context } = c.env;
  const { service, apiVersion: version } = context;
  const { shape } = context.version;
  const { token } = await permit(c.env.context, "plants:read");
  const { account } = token;
  const { parameters, ...query } = shape.readPlantQuery(context.query);
  context.report.route = query.q ? "search" : "list";
  const type = chooseRepresentation(c.req.header("accept"), LIST_TYPES);
  if (type !== "application/json") return exportPlants(c, { token, type, running });
  const headers: Record<string, string> = await eventsCursor(service);
  const start = performance.now();
  const { bytes, cursor } = await service.reads.ask(context.subject, "plantPage", { account, version, query });
  if (query.q || query.tag !== undefined) {
    service.observation.meter.observe("plantstore_search_seconds", (performance.now() - start) / 1000);
  }
  if (cursor !== null) {
    // RFC 8288. The address is absolute, since not every client resolves a relative one.
    const address = publicOrigin(service.baseUrl, c.req.url) + c.req.path;
    headers.Link = `<${address}?${shape.nextPageQuery({ parameters }, cursor)}>; rel="next"`;
  }
  return send(c, bytes, {
    "Content-Type": "application/json",
    "Cache-Control": "private, no-cache",
    Vary: "Accept",
    ...headers,
  });
}
