import { BODY_SIZE_BYTES_MAX } from "#contract/limits.ts";
import type { OperationId } from "#contract/v1/shape.ts";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import type { ApiCaller } from "#core/caller.ts";
import { namedInEvents } from "#core/event-actor.ts";
import { Failure } from "#core/failure.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import { entityTag, type Plant, type PlantRevision } from "#core/plant.ts";
import { EXPORTS_AT_ONCE } from "#core/reads.ts";
import { ANSWER_MEMORY } from "#load/limit-groups.ts";
import { Slots } from "#load/slots.ts";
import { PLANT_CACHING, plantAnswer } from "../answer.ts";
import { parsed, readText } from "../body.ts";
import { requireStill } from "../callers.ts";
import { changeUnder, putCondition, readUnder } from "../conditions.ts";
import { UncountedAnswer } from "../large-answer.ts";
import { mediaType } from "../media-type.ts";
import { type Act, requireNoParameters } from "../operation.ts";
import type { RequestContext } from "../request-context.ts";
import { exportPlants } from "./export-plants.ts";
import { listPlants } from "./list-plants.ts";

const EXPORTS = ANSWER_MEMORY.row("exports", "account", EXPORTS_AT_ONCE);

const PATCH_TYPES = ["application/merge-patch+json", "application/json"] as const;

/** Those of one plant count their own large answer, since the app has direct routes to them. */
export function plantActs() {
  const exports = new Slots(EXPORTS);
  return {
    listPlants: (context, caller) => listPlants(context, caller, exports),
    exportPlants: (context, caller) => exportPlants(context, caller, exports),
    getPlant,
    putPlant,
    changePlant,
    removePlant,
  } satisfies Partial<Record<OperationId, Act>>;
}

async function getPlant(context: RequestContext, { account }: ApiCaller, idText: string): Promise<Response> {
  const id = readPlantId(context, idText);
  const { service, raw, subject } = context;
  const { plant, isFresh } = readUnder(raw, await service.records.plants.find(account, id), id);
  if (isFresh) return notModified(plant);
  if (plant.name !== undefined) return answerOf(context, plant);
  // It may have been changed since.
  const long = readUnder(raw, await service.reads.ask(subject, "plant", { account, id }), id).plant;
  return plantAnswer(context, long.bytes, { status: 200, etag: entityTag(long) });
}

async function putPlant(context: RequestContext, caller: ApiCaller, idText: string): Promise<Response> {
  const { service, report, raw } = context;
  mediaType(raw, ["application/json"]);
  const text = await readText(context, BODY_SIZE_BYTES_MAX);
  report.bodyText = text;
  await requireStill(caller);
  requireNoParameters(context);
  const id = readPlantId(context, idText);
  const given = await parsed(context, "readPlantPut", text, id);
  const by = namedInEvents(caller);
  const { plants } = service.records;
  const { plant, outcome } = await plants.put(caller.account, given, putCondition(raw), context.span, by);
  if (outcome === "created") report.created = 1;
  report.plantUpdatedAt = plant.updatedAt;
  const status = outcome === "created" ? 201 : 200;
  const response = caller.scopes.includes("plants:read")
    ? answerOf(context, plant, status)
    : new UncountedAnswer(null, { status: outcome === "created" ? status : 204, headers: plantHeaders(plant) });
  if (outcome === "unchanged") response.headers.set("Idempotent-Replayed", "true");
  return response;
}

async function changePlant(context: RequestContext, caller: ApiCaller, idText: string): Promise<Response> {
  const { service, report, raw } = context;
  mediaType(raw, PATCH_TYPES);
  const text = await readText(context, BODY_SIZE_BYTES_MAX);
  report.bodyText = text;
  await requireStill(caller);
  requireNoParameters(context);
  const id = readPlantId(context, idText);
  const patch = await parsed(context, "readPlantPatch", text, id);
  const by = namedInEvents(caller);
  const plant = await changeUnder(raw, (allows) =>
    service.records.plants.change(caller.account, id, patch, allows, context.span, by),
  );
  report.plantUpdatedAt = plant.updatedAt;
  // The answer would reveal data that a token without the scope may not read.
  return caller.scopes.includes("plants:read") ? answerOf(context, plant) : noContent();
}

async function removePlant(context: RequestContext, caller: ApiCaller, idText: string): Promise<Response> {
  const id = readPlantId(context, idText);
  const { span, service, raw } = context;
  const by = namedInEvents(caller);
  await changeUnder(raw, (allows) => service.records.plants.remove(caller.account, id, allows, span, by));
  return noContent();
}

function noContent(): Response {
  return new UncountedAnswer(null, { status: 204 });
}

function notModified(plant: PlantRevision): Response {
  return new UncountedAnswer(null, { status: 304, headers: plantHeaders(plant) });
}

function plantHeaders(plant: PlantRevision) {
  return { ETag: entityTag(plant), "Cache-Control": PLANT_CACHING };
}

function answerOf(context: RequestContext, plant: Plant, status = 200): Response {
  return plantAnswer(context, SHAPE_1.keptPlantBody(plant), { status, etag: entityTag(plant) });
}

/** The id in the address. Throws "address-malformed". */
function readPlantId({ report }: RequestContext, text: string): bigint {
  const id = int64FromCanonicalDecimal(text);
  if (id === undefined) {
    throw new Failure(
      "address-malformed",
      "The id in the address must be an int64 written plainly, as in /v1/plants/42",
    );
  }
  report.plantId = id;
  return id;
}
