import { type Context, Hono } from "hono";
import { openApiDocument } from "#contract/openapi/document.ts";
import { publicOrigin } from "../address.ts";
import { allowOnly } from "../allow-only.ts";
import type { Env } from "../env.ts";
import type { Service } from "../service.ts";

/** The OpenAPI document, with the address under which this service was reached as its server. */
export function openApiRoutes(service: Service): Hono<Env> {
  const routes = new Hono<Env>();
  const document = (c: Context<Env>) => openApiDocument(publicOrigin(service.baseUrl, c.req.url));
  routes.get("/openapi.json", (c) => c.json(document(c)));
  routes.get("/openapi.yaml", async (c) => {
    const { stringify } = await import("yaml");
    return c.body(stringify(document(c)), 200, { "Content-Type": "application/yaml" });
  });
  for (const path of ["/openapi.json", "/openapi.yaml"]) allowOnly(routes, path, ["GET"]);
  return routes;
}
