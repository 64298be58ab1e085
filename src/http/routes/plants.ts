import { Hono } from "hono";
import { keptPlantBody } from "#contract/plant.ts";
import { Failure } from "#core/failure.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import { entityTag } from "#core/plant.ts";
import { allowOnly } from "../allow-only.ts";
import { matchesNone } from "../conditions.ts";
import type { Env } from "../env.ts";
import { permit } from "../permit.ts";
import type { Service } from "../service.ts";
import { createPlant } from "./create-plant.ts";

/** `/plants` and `/plants/{id}`, under each version. */
export function plantRoutes(service: Service): Hono<Env> {
  const routes = new Hono<Env>();

  routes.post("/plants", (c) => createPlant(service, c.req.raw, c.var.requestId));

  routes.get("/plants/:id", async (c) => {
    const { token } = await permit(service, c, "plants:read");
    const id = readId(c.req.param("id"));
    const plant = await service.store.plants.find(token.account, id);
    if (!plant) throw new Failure("plant-unknown", `There is no plant with the id ${id}`);
    const headers = { ETag: entityTag(plant), "Cache-Control": "private, no-cache" };
    if (!matchesNone(c.req.header("if-none-match"), headers.ETag)) return c.body(null, 304, headers);
    return c.body(keptPlantBody(plant), 200, { ...headers, "Content-Type": "application/json" });
  });

  allowOnly(routes, "/plants", ["POST"]);
  allowOnly(routes, "/plants/:id", ["GET"]);
  return routes;
}

function readId(segment: string): bigint {
  const id = int64FromCanonicalDecimal(segment);
  if (id === undefined) {
    throw new Failure(
      "address-malformed",
      "The id in the address must be an int64 written plainly, as in /v1/plants/42",
    );
  }
  return id;
}
