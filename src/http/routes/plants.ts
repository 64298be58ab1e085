import type { Context } from "hono";
import { BULK_TYPES } from "#contract/bulk-type.ts";
import { BODY_SIZE_BYTES_MAX } from "#contract/limits.ts";
import { Failure } from "#core/failure.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import { entityTag, type Plant, type PlantRevision } from "#core/plant.ts";
import { EXPORTS } from "#load/limits.ts";
import { Slots } from "#load/slots.ts";
import { parsed, readText } from "../body.ts";
import { authenticateAgain, eventActorBy } from "../callers.ts";
import { changeUnder, isConditional, readUnder } from "../conditions.ts";
import { mediaType } from "../media-type.ts";
import { type Addresses, admission, type Env, permit, send } from "../routing.ts";
import { createPlant } from "./create-plant.ts";
import { getExport } from "./export-plants.ts";
import { listPlants } from "./list-plants.ts";

const PATCH_TYPES = ["application/merge-patch+json", "application/json"] as const;

/** `/plants` and what is below it, under each version. */
export function plantRoutes(): Addresses {
  const exports = new Slots(EXPORTS);
  return {
    // Nearly all creates go through `App.creates`; these are the ones whose target was written in another way.
    "/plants": { GET: (c) => listPlants(c, exports), POST: (c) => createPlant(c.env.context) },
    "/plants/import": { POST: (c) => createPlant(c.env.context, BULK_TYPES) },
    "/plants/export": { GET: (c) => getExport(c, exports) },
    "/plants/:id": { GET: readPlant, PATCH: changePlant, DELETE: removePlant },
  };
}

async function readPlant(c: Context<Env>): Promise<Response> {
  const { token } = await permit(c, "plants:read", "read");
  const id = readPlantId(c);
  const { plants } = c.env.context.service.records;
  // Refused or answered without the plant's texts, if it can be.
  if (isConditional(c.req.raw)) {
    const { plant, isFresh } = readUnder(c.req.raw, await plants.findRevision(token.account, id), id);
    if (isFresh) return c.body(null, 304, plantHeaders(plant));
  }
  const { plant, isFresh } = readUnder(c.req.raw, await plants.find(token.account, id, admission(c)), id);
  return isFresh ? c.body(null, 304, plantHeaders(plant)) : plantAnswer(c, plant);
}

async function changePlant(c: Context<Env>): Promise<Response> {
  const { context } = c.env;
  const { service, report } = context;
  const cached = await permit(c, "plants:write", "change");
  const { token } = cached;
  mediaType(c.req.raw, PATCH_TYPES);
  const text = await readText(context, BODY_SIZE_BYTES_MAX);
  report.bodyText = text;
  await authenticateAgain(service.tokens, cached, Date.now());
  const id = readPlantId(c);
  const patch = await parsed(context, "readPlantPatch", text, id);
  const by = await eventActorBy(context, token);
  const plant = await changeUnder(c.req.raw, (allows) =>
    service.records.plants.change(token.account, id, patch, allows, context.span, by),
  );
  report.plantUpdatedAt = plant.updatedAt;
  // The answer would reveal data that a token without the scope may not read.
  return token.scopes.includes("plants:read") ? plantAnswer(c, plant) : c.body(null, 204);
}

async function removePlant(c: Context<Env>): Promise<Response> {
  const { token } = await permit(c, "plants:write", "remove");
  const id = readPlantId(c);
  const { span, service } = c.env.context;
  const by = await eventActorBy(c.env.context, token);
  await changeUnder(c.req.raw, (allows) => service.records.plants.remove(token.account, id, allows, span, by));
  return c.body(null, 204);
}

/** The plant's validator, and a directive that keeps shared caches from storing it. */
function plantHeaders(plant: PlantRevision) {
  return { ETag: entityTag(plant), "Cache-Control": "private, no-cache" };
}

function plantAnswer(c: Context<Env>, plant: Plant): Response {
  const { shape } = c.env.context.version;
  return send(c, shape.keptPlantBody(plant), { ...plantHeaders(plant), "Content-Type": "application/json" });
}

/** The id in the address. Throws "address-malformed". */
function readPlantId(c: Context<Env>): bigint {
  const id = int64FromCanonicalDecimal(c.req.param("id") ?? "");
  if (id === undefined) {
    throw new Failure(
      "address-malformed",
      "The id in the address must be an int64 written plainly, as in /v1/plants/42",
    );
  }
  c.env.context.report.plantId = id;
  return id;
}
