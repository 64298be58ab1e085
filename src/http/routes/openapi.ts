import { Hono } from "hono";
import { compress } from "hono/compress";
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

/** In the place of the server's address, in the texts that are made once; making one takes some 20 ms (YAML: 200). */
const ANY_ORIGIN = "http://origin.invalid";

function addDocument(routes: Hono<Env>, service: Service, { version }: ServedVersion, prefix: string): void {
  const make = {
    json: async () => JSON.stringify(openApiDocument(ANY_ORIGIN, version)),
    yaml: async () =>
      (await import("yaml")).stringify(openApiDocument(ANY_ORIGIN, version), { aliasDuplicateObjects: false }),
  };
  for (const [name, made] of Object.entries(make)) {
    let text: Promise<string> | undefined;
    const path = `${prefix}/openapi.${name}`;
    routes.get(path, compress({ encoding: "gzip" }), async (c) => {
      text ??= made();
      const body = (await text).replaceAll(ANY_ORIGIN, publicOrigin(service.baseUrl, c.req.url));
      return c.body(body, 200, { "Content-Type": `application/${name}` });
    });
    allowOnly(routes, path, ["GET"]);
  }
}
