import { BULK_TYPES } from "#contract/bulk-records.ts";
import { readNewPlant } from "#contract/new-plant.ts";
import { plantBody } from "#contract/plant.ts";
import { idTaken } from "#core/plant.ts";
import { errorNumber, jsonAnswer } from "../answer.ts";
import { authenticate } from "../bearer.ts";
import { readText } from "../body.ts";
import { mediaType } from "../media-type.ts";
import { refused } from "../refused.ts";
import type { HttpServer, Service } from "../service.ts";
import type { CachedToken } from "../token-cache.ts";
import { importPlants } from "./import-plants.ts";

/** The media types of a create. */
const CREATE_TYPES = ["application/json", ...BULK_TYPES] as const;
type Accepted = typeof CREATE_TYPES | typeof BULK_TYPES;
const REPLAYED = { "Idempotent-Replayed": "true" };

/**
 * `POST /plants`: the one path that matters, so it is reached without the framework
 * (docs/decisions/0003-the-create-route-is-bare.md has what that gains), and awaits no more than it must.
 */
export async function createPlant(
  service: Service,
  request: Request,
  requestId: string,
  server: HttpServer,
  accepted: Accepted = CREATE_TYPES,
): Promise<Response> {
  let known: CachedToken | undefined;
  try {
    const pending = authenticate(service.tokens, request, "plants:write", Date.now());
    known = pending instanceof Promise ? await pending : pending;
    const { token, usage } = known;
    if (service.rateLimit) await service.rateLimit.count(request, token.id);
    const rate = service.rateLimit?.headersOf(request);
    const type = mediaType(request, accepted);
    if (type !== "application/json") {
      return jsonAnswer(await importPlants(service, { known, type, request, server }), requestId, rate);
    }
    const plant = readNewPlant(await readText(request));
    const outcome = await service.store.plants.create(token.account, plant);
    if (outcome === "taken") throw idTaken(plant.id);
    if (outcome === "created") usage.created++;
    else usage.other++;
    return jsonAnswer(plantBody(plant), requestId, outcome === "created" ? rate : { ...rate, ...REPLAYED });
  } catch (error) {
    known?.usage.refused(errorNumber(error));
    return refused(service, request, requestId, error);
  }
}
