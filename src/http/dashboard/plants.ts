import { Hono } from "hono";
import { type NextId, type PlantMatches, PlantMatchesQuery, type PlantTags } from "#contract/dashboard/plants.ts";
import { parsePlantId } from "#contract/plant-id.ts";
import { INT64_MAX } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import type { PlantChoice, PlantStore } from "#core/store.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readQuery } from "./form.ts";

/** Figures about plants that the public API does not have. */
export function plantRoutes({ store: { plants } }: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.get("/plants/matches", async (c) => {
    const { q, tag } = readQuery(c.req.raw, PlantMatchesQuery);
    const { number } = c.var.session.account;
    const { count, atLeast } = await plants.countMatches(number, { q, tag });
    const byId = (await isFoundByIdAlone(plants, number, { q, tag })) ? 1 : 0;
    return c.json({ count: count + byId, at_least: atLeast } satisfies PlantMatches);
  });

  routes.get("/plants/tags", async (c) => {
    return c.json({ tags: [...(await plants.suggestTags(c.var.session.account.number))] } satisfies PlantTags);
  });

  routes.get("/plants/next-id", async (c) => {
    const greatest = (await plants.greatestId(c.var.session.account.number)) ?? 0n;
    const next = greatest < 0n ? 1n : greatest + 1n;
    return c.json({ id: next > INT64_MAX ? null : String(next) } satisfies NextId);
  });

  return routes;
}

/** The search also finds a plant by its id. */
async function isFoundByIdAlone(plants: PlantStore, account: AccountNumber, choice: PlantChoice): Promise<boolean> {
  const id = parsePlantId(choice.q?.trim() ?? "");
  if (id === undefined || choice.tag !== undefined) return false;
  const plant = await plants.find(account, id);
  return plant !== undefined && !passes(plantFilter(choice), plant);
}
