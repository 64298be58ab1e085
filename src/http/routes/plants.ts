import { Hono } from "hono";
import { BULK_TYPES } from "#contract/bulk-type.ts";
import type { Slots } from "#load/slots.ts";
import { allowOnly } from "../allow-only.ts";
import { conditionsOf, readUnder } from "../conditions.ts";
import type { Env } from "../env.ts";
import { permit } from "../permit.ts";
import { plantAnswer, plantHeaders, readPlantId } from "../plant-answer.ts";
import type { Service } from "../service.ts";
import { changePlant, removePlant } from "./change-plant.ts";
import { createPlant } from "./create-plant.ts";
import { getExport } from "./export-plants.ts";
import { listPlants } from "./list-plants.ts";

/** `/plants`, `/plants/import`, `/plants/export` and `/plants/{id}`, under each version. */
export function plantRoutes(service: Service, running: Slots): Hono<Env> {
  const routes = new Hono<Env>();

  // Nearly all creates go through `App.creates`; these are the ones whose target was written in another way.
  routes.post("/plants", (c) => createPlant(c.env.context));
  routes.get("/plants", (c) => listPlants(service, c, running));

  routes.post("/plants/import", (c) => createPlant(c.env.context, BULK_TYPES));
  allowOnly(routes, "/plants/import", ["POST"]);
  routes.get("/plants/export", (c) => getExport(service, c, running));
  allowOnly(routes, "/plants/export", ["GET"]);

  routes.get("/plants/:id", async (c) => {
    c.env.context.route = "read";
    const { token } = await permit(service, c, "plants:read");
    const id = readPlantId(c);
    const found = await service.store.plants.find(token.account, id);
    const { plant, isFresh } = readUnder(conditionsOf(c.req.raw), found, id);
    return isFresh ? c.body(null, 304, plantHeaders(plant)) : plantAnswer(c, plant);
  });

  routes.patch("/plants/:id", (c) => changePlant(service, c));
  routes.delete("/plants/:id", (c) => removePlant(service, c));

  allowOnly(routes, "/plants", ["GET", "POST"]);
  allowOnly(routes, "/plants/:id", ["GET", "PATCH", "DELETE"]);
  return routes;
}
