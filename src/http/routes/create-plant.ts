import { BULK_TYPES } from "#contract/bulk-type.ts";
import { BODY_SIZE_BYTES_MAX } from "#contract/limits.ts";
import type { Operation } from "#contract/openapi/operation.ts";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { namedInEvents } from "#core/event-actor.ts";
import { idTaken } from "#core/plant.ts";
import { postAnswer } from "../answer.ts";
import { parsed, readText } from "../body.ts";
import { requireStill } from "../callers.ts";
import { mediaType } from "../media-type.ts";
import { type Handler, permit } from "../operation.ts";
import { prefersStrict, STRICT_HANDLING } from "../preference.ts";
import type { RequestContext } from "../request-context.ts";
import { createPlants, removeInBulk } from "./import-plants.ts";

const CREATE_TYPES = ["application/json", ...BULK_TYPES] as const;
type Accepted = typeof CREATE_TYPES | typeof BULK_TYPES;

/**
 * The most important operation. It is reached without the framework (docs/decisions/0003-the-create-route-is-bare.md says
 * what that gains).
 */
export const createPlant: Handler = (context, operation) => create(context, operation, CREATE_TYPES);
export const importPlants: Handler = (context, operation) => create(context, operation, BULK_TYPES);

/** Any number of plants; its records are counted as those of an import. */
export const removePlants: Handler = async (context, operation) => {
  const { raw, service } = context;
  const caller = await permit(context, operation);
  if (!isBulk(raw)) await service.guards.rateLimit?.count(context, caller);
  return removeInBulk(context, caller, mediaType(raw, BULK_TYPES));
};

/** Awaits no more than it must. */
async function create(context: RequestContext, operation: Operation, accepted: Accepted): Promise<Response> {
  const { service, raw, report } = context;
  const pending = permit(context, operation);
  const caller = pending instanceof Promise ? await pending : pending;
  const { rateLimit } = service.guards;
  if (rateLimit && !isBulk(raw)) await rateLimit.count(context, caller);
  const type = mediaType(raw, accepted);
  if (type !== "application/json") return createPlants(context, caller, type, accepted === BULK_TYPES);
  const text = await readText(context, BODY_SIZE_BYTES_MAX);
  report.bodyText = text;
  const again = requireStill(caller);
  if (again) await again;
  const isStrict = prefersStrict(raw);
  if (isStrict) context.ownHeaders = { ...context.ownHeaders, "Preference-Applied": STRICT_HANDLING };
  const read = parsed(context, isStrict ? "readStrictNewPlant" : "readNewPlant", text);
  const plant = read instanceof Promise ? await read : read;
  report.plantId = plant.id;
  // The creator is stored only if a person created the plant.
  const person = caller.person === undefined ? undefined : namedInEvents(caller);
  const outcome = await service.records.plants.create(caller.account, plant, context.span, person);
  report.outcome = outcome === "taken-alike" ? "taken" : outcome;
  if (outcome === "taken" || outcome === "taken-alike") throw idTaken(plant.id, outcome);
  if (outcome === "created") report.created = 1;
  const response = postAnswer(SHAPE_1.plantBody(plant), context);
  if (outcome === "unchanged") response.headers.set("Idempotent-Replayed", "true");
  return response;
}

/** The records of a bulk create count instead of its request: it is slowed down to the rate, never refused for it. */
function isBulk({ headers }: Request): boolean {
  const type = headers.get("content-type") ?? "";
  return BULK_TYPES.some((name) => type.trim().toLowerCase().startsWith(name));
}
