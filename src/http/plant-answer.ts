import type { Context } from "hono";
import { Failure } from "#core/failure.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import { entityTag, type Plant } from "#core/plant.ts";
import type { Env } from "./env.ts";

/** The headers of an answer with one plant: its validator, and a directive that keeps shared caches from storing it. */
export function plantHeaders(plant: Plant) {
  return { ETag: entityTag(plant), "Cache-Control": "private, no-cache" };
}

export function plantAnswer(c: Context<Env>, plant: Plant): Response {
  const { shape } = c.env.context.version;
  return c.body(shape.keptPlantBody(plant), 200, { ...plantHeaders(plant), "Content-Type": "application/json" });
}

/** The id in the address. Throws "address-malformed". */
export function readPlantId(c: Context<Env>): bigint {
  const id = int64FromCanonicalDecimal(c.req.param("id") ?? "");
  if (id === undefined) {
    throw new Failure(
      "address-malformed",
      "The id in the address must be an int64 written plainly, as in /v1/plants/42",
    );
  }
  c.env.context.plantId = id;
  return id;
}
