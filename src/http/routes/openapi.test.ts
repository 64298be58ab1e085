import { describe, expect, test } from "bun:test";
import { parse } from "yaml";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { VERSIONS } from "#contract/version.ts";
import { ServedVersions } from "../served-versions.ts";
import type { Service } from "../service.ts";
import { openApiRoutes } from "./openapi.ts";

const NEXT = { version: "2.0.0", segments: ["v2", "2"], shape: SHAPE_1 } as const;

function ask(path: string, baseUrl?: string): Response | Promise<Response> {
  const service = { baseUrl } as Partial<Service> as Service;
  return openApiRoutes(service, new ServedVersions([...VERSIONS, NEXT])).request(`http://plants.example${path}`);
}

const document = async (path: string, baseUrl?: string) => (await ask(path, baseUrl)).json();

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

  test("names the public address where one is set", async () => {
    const { servers } = await document("/openapi.json", "https://shop.example/");
    expect(servers[0].url).toBe("https://shop.example");
  });

  test("is the same in YAML as in JSON", async () => {
    const yaml = await ask("/v1/openapi.yaml");
    expect(yaml.headers.get("content-type")).toBe("application/yaml");
    expect(parse(await yaml.text())).toEqual(await document("/v1/openapi.json"));
  });
});
