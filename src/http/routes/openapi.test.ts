import { describe, expect, test } from "bun:test";
import { parse } from "yaml";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { VERSIONS } from "#contract/version.ts";
import { routesOf } from "../routing.ts";
import { ServedVersions } from "../served-versions.ts";
import { openApiRoutes } from "./openapi.ts";

const NEXT = { version: "2.0.0", segments: ["v2", "2"], shape: SHAPE_1 } as const;

const newRoutes = () => routesOf(openApiRoutes(new ServedVersions([...VERSIONS, NEXT])));

/** Asks as a client that reached the service under the origin. */
function ask(path: string, origin = "http://plants.example", routes = newRoutes(), headers = {}) {
  return routes.request(path, { headers }, { context: { method: "GET", client: { origin } } });
}

const document = async (path: string, origin?: string) => (await ask(path, origin)).json();

describe("the OpenAPI document", () => {
  test.each([
    ["/openapi.json", "2.0.0", "/v2/plants"],
    ["/v2/openapi.json", "2.0.0", "/v2/plants"],
    ["/2/openapi.json", "2.0.0", "/v2/plants"],
    ["/v1/openapi.json", "1.0.0", "/v1/plants"],
    ["/1.0/openapi.json", "1.0.0", "/v1/plants"],
  ])("at %s is that of version %s", async (path, version, address) => {
    const { info, servers, paths } = await document(path);
    expect([info.version, servers[0].url]).toEqual([version, "http://plants.example"]);
    expect(paths).toHaveProperty([address]);
  });

  test("names the address under which its client reached the service", async () => {
    const { servers } = await document("/openapi.json", "https://shop.example");
    expect(servers[0].url).toBe("https://shop.example");
  });

  test("is the same in YAML as in JSON", async () => {
    const yaml = await ask("/v1/openapi.yaml");
    expect(yaml.headers.get("content-type")).toBe("application/yaml");
    expect(parse(await yaml.text())).toEqual(await document("/v1/openapi.json"));
  });

  test("is compressed once for each of the first 16 addresses that it is asked under, and only there", async () => {
    const routes = newRoutes();
    const headers = { "Accept-Encoding": "gzip" };
    const origins = Array.from({ length: 17 }, (_, at) => `http://host-${at}.example`);
    for (const [at, origin] of [...origins, ...origins].entries()) {
      const answer = await ask("/openapi.json", origin, routes, headers);
      const isCompressed = answer.headers.get("content-encoding") === "gzip";
      expect({ origin, isCompressed }).toEqual({ origin, isCompressed: at % 17 < 16 });
      const text = isCompressed ? Bun.gunzipSync(await answer.bytes()) : await answer.bytes();
      expect(JSON.parse(new TextDecoder().decode(text)).servers[0].url).toBe(origin);
    }
    expect((await ask("/openapi.json", origins[0], routes)).headers.get("content-encoding")).toBeNull();
  });
});
