import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { parse } from "yaml";
import { NOW } from "#test/support/open-test-auth.ts";
import { routesOf } from "../routing.ts";
import { openApiRoutes } from "./openapi.ts";

const newRoutes = () => routesOf(openApiRoutes());

/** Asks as a client that reached the service under the origin. */
function ask(path: string, origin = "http://plants.example", routes = newRoutes(), headers = {}) {
  return routes.request(path, { headers }, { context: { method: "GET", client: { origin } } });
}

const document = async (path: string, origin?: string) => (await ask(path, origin)).json();

afterEach(() => void setSystemTime());

describe("the OpenAPI document", () => {
  test("names the address under which its client reached the service", async () => {
    const answer = await ask("/openapi.json", "https://shop.example");
    expect((await answer.json()).servers[0].url).toBe("https://shop.example");
    // No cache on the way may give it to a client that reached the service under another one.
    expect(answer.headers.get("cache-control")).toBe("private, no-cache");
  });

  test("is the same in YAML as in JSON", async () => {
    const yaml = await ask("/openapi.yaml");
    expect(yaml.headers.get("content-type")).toBe("application/yaml");
    expect(parse(await yaml.text())).toEqual(await document("/openapi.json"));
  });

  test("is compressed for the 16 addresses that it was asked under last, of which one a second takes another's place", async () => {
    const routes = newRoutes();
    const headers = { "Accept-Encoding": "gzip" };
    const isCompressed = async (host: number) => {
      const origin = `http://host-${host}.example`;
      const answer = await ask("/openapi.json", origin, routes, headers);
      const isCompressed = answer.headers.get("content-encoding") === "gzip";
      const text = isCompressed ? Bun.gunzipSync(await answer.bytes()) : await answer.bytes();
      expect(JSON.parse(new TextDecoder().decode(text)).servers[0].url).toBe(origin);
      return isCompressed;
    };
    const compressed = async (...hosts: number[]) => {
      const found = await Promise.all(hosts.map(async (host) => ((await isCompressed(host)) ? [host] : [])));
      return found.flat();
    };
    setSystemTime(NOW);
    const hosts = Array.from({ length: 16 }, (_, at) => at);
    expect(await compressed(...hosts, 0, 16, 17, 18)).toEqual([...hosts, 0, 16]);
    setSystemTime(NOW + 1000);
    // Number 1 was asked for longest ago and has gone.
    expect(await compressed(2, 0, 17, 1, 16)).toEqual([2, 0, 17, 16]);
    expect((await ask("/openapi.json", "http://host-0.example", routes)).headers.get("content-encoding")).toBeNull();
  });
});
