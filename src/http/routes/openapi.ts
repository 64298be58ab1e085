import { type Context, Hono } from "hono";
import { openApiDocument } from "#contract/openapi/document.ts";
import { versionPrefix } from "#contract/version.ts";
import { publicOrigin } from "../address.ts";
import { allowOnly } from "../allow-only.ts";
import type { Env } from "../env.ts";
import type { ServedVersion, ServedVersions } from "../served-versions.ts";
import type { Service } from "../service.ts";

/**
 * The OpenAPI document of each version under its prefix, and that of the newest at the root. Its server is the address
 * under which the client reached this service.
 */
export function openApiRoutes(service: Service, versions: ServedVersions): Hono<Env> {
  const routes = new Hono<Env>();
  addDocument(routes, service, versions.newest, "");
  for (const version of versions.all) {
    for (const segment of version.version.segments) {
      if (segment !== "") addDocument(routes, service, version, versionPrefix(segment));
    }
  }
  return routes;
}

function addDocument(routes: Hono<Env>, service: Service, { version }: ServedVersion, prefix: string): void {
  const document = (c: Context<Env>) => openApiDocument(publicOrigin(service.baseUrl, c.req.url), version);
  routes.get(`${prefix}/openapi.json`, (c) => c.json(document(c)));
  routes.get(`${prefix}/openapi.yaml`, async (c) => {
    const { stringify } = await import("yaml");
    return c.body(stringify(document(c)), 200, { "Content-Type": "application/yaml" });
  });
  for (const path of ["/openapi.json", "/openapi.yaml"]) allowOnly(routes, prefix + path, ["GET"]);
}
