import type { Context } from "hono";
import type { Slots } from "#load/slots.ts";
import { publicOrigin, queryOf } from "../address.ts";
import type { Env } from "../env.ts";
import { eventsCursor } from "../events-cursor.ts";
import { permit } from "../permit.ts";
import { chooseRepresentation, LIST_TYPES } from "../representation.ts";
import type { Service } from "../service.ts";
import { exportPlants } from "./export-plants.ts";

/** `GET /plants`: a page of the list, or an export of every plant if `Accept` asks for one. */
export async function listPlants(service: Service, c: Context<Env>, running: Slots): Promise<Response> {
  const { token } = await permit(service, c, "plants:read");
  const { shape, version } = c.env.context.version;
  const query = shape.readPlantQuery(queryOf(c.req.url));
  c.env.context.route = query.q ? "search" : "list";
  const type = chooseRepresentation(c.req.header("accept"), LIST_TYPES);
  if (type !== "application/json") return exportPlants(service, c, { account: token.account, type, running });
  const headers = await eventsCursor(service);
  const { account } = token;
  const start = performance.now();
  const asked = { account, version: version.version, query };
  const { bytes, cursor } = await service.reads.ask(account, "plantPage", asked);
  if (query.q || query.tag !== undefined) service.searched({ ms: performance.now() - start });
  if (cursor !== null) c.header("Link", nextPageLink(service, c, cursor));
  return c.body(service.largeAnswers.body(account, bytes, c.env.context.method), 200, {
    "Content-Type": "application/json",
    "Cache-Control": "private, no-cache",
    Vary: "Accept",
    ...headers,
  });
}

/** RFC 8288. The address is absolute, since not every client resolves a relative one. */
function nextPageLink(service: Service, c: Context<Env>, cursor: string): string {
  const query = c.env.context.version.shape.nextPageQuery(queryOf(c.req.url), cursor);
  return `<${publicOrigin(service.baseUrl, c.req.url)}${c.req.path}?${query}>; rel="next"`;
}
