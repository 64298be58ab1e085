import { BULK_TYPES } from "#contract/bulk-records.ts";
import { readNewPlant } from "#contract/new-plant.ts";
import { plantBody } from "#contract/plant.ts";
import { idTaken } from "#core/plant.ts";
import { API_HEADERS, errorNumber } from "../answer.ts";
import { authenticate } from "../bearer.ts";
import { readText } from "../body.ts";
import type { KnownToken } from "../known-tokens.ts";
import { mediaType } from "../media-type.ts";
import type { HttpServer, Service } from "../service.ts";
import { importPlants } from "./import-plants.ts";

const ACCEPTED = ["application/json", ...BULK_TYPES] as const;

/**
 * `POST /plants`: the one path that matters, so it is reached without the framework
 * (docs/decisions/0003-the-create-route-is-bare.md has what that gains).
 */
export async function createPlant(
  service: Service,
  request: Request,
  requestId: string,
  server: HttpServer,
): Promise<Response> {
  let known: KnownToken | undefined;
  try {
    const pending = authenticate(service.tokens, request, "plants:write", Date.now());
    known = pending instanceof Promise ? await pending : pending;
    const { token, usage } = known;
    if (service.rateLimit) await service.rateLimit.count(request, token.id);
    const type = mediaType(request, ACCEPTED);
    if (type !== "application/json") {
      const report = await importPlants(service, { known, type, request, server });
      const rate = service.rateLimit?.headersOf(request);
      return new Response(report, {
        headers: { "Content-Type": "application/json", "Request-Id": requestId, ...API_HEADERS, ...rate },
      });
    }
    const plant = readNewPlant(await readText(request));
    const outcome = await service.store.plants.create(token.account, plant);
    if (outcome === "taken") throw idTaken(plant.id);
    if (outcome === "created") usage.created++;
    else usage.other++;
    const replayed = outcome === "unchanged" ? { "Idempotent-Replayed": "true" } : undefined;
    const rate = service.rateLimit?.headersOf(request);
    return new Response(plantBody(plant), {
      headers: { "Content-Type": "application/json", "Request-Id": requestId, ...API_HEADERS, ...rate, ...replayed },
    });
  } catch (error) {
    known?.usage.refused(errorNumber(error));
    throw error;
  }
}
