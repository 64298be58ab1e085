import { afterAll, describe, expect, test } from "bun:test";
import type { App } from "#http/app.ts";
import { RawConnection } from "#test/support/raw-connection.ts";
import { rawRequest } from "#test/support/raw-request.ts";
import { byMethod } from "./by-method.ts";

const directly =
  (name: string) =>
  async (_: Request, _server: unknown, id = "") =>
    new Response(`${name}${id}`);
/** Answers with what it was told of the target, or that the request came by the way of single plants. */
const app: App = {
  plants: new Map([
    [
      "/v1/plants",
      {
        list: directly("list"),
        create: directly("create"),
        plant: {
          GET: directly("read "),
          PUT: directly("put "),
          PATCH: directly("change "),
          DELETE: directly("remove "),
        },
      },
    ],
  ]),
  fetch: async (request, _, target) =>
    Response.json({ method: request.method, path: new URL(request.url).pathname, ...target }),
};

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", ...byMethod(app) });
afterAll(() => server.stop(true));

async function answer(method: string, target: string): Promise<string> {
  const connection = await RawConnection.open(server.url.origin);
  await connection.send(rawRequest({ method, target, headers: ["Connection: close"] }));
  await connection.closed();
  return connection.unread.slice(connection.unread.indexOf("\r\n\r\n") + 4);
}

const read = async (method: string, target: string) => JSON.parse(await answer(method, target));

test("creates and lists go past the router, with a query too, and no other method of their address does", async () => {
  for (const [method, name] of Object.entries({ POST: "create", GET: "list" })) {
    expect(await answer(method, "/v1/plants")).toBe(name);
    expect(await answer(method, "/v1/plants?errors_max=1")).toBe(name);
  }
  for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
    expect(await read(method, "/v1/plants")).toMatchObject({ method, path: "/v1/plants" });
  }
});

test("so does a plant by an id in digits, and nothing that is none", async () => {
  for (const [method, name] of Object.entries({ GET: "read", PATCH: "change", DELETE: "remove" }))
    expect(await answer(method, "/v1/plants/-42?a=b")).toBe(`${name} -42`);
  for (const target of ["/v1/plants/fern", "/v1/plants/5/", "/v1/plants/x/../5", "/v1/plants/5\\", "/v1/./plants/5"])
    expect(await read("PATCH", target)).toMatchObject({ method: "PATCH" });
  expect(await read("POST", "/v1/plants/5")).toMatchObject({ method: "POST", path: "/v1/plants/5", asWritten: true });
});

describe("a target", () => {
  test.each([
    ["/", undefined],
    ["/healthz", true],
    ["/a/b/c/d/e/f/g/h", true],
    // Longer than any address: as if it were not, so that it is in no mount.
    ["/a/b/c/d/e/f/g/h/i", false],
    ["/dashboard/", true],
    ["/dashboard/../healthz", false],
    ["/dashboard/./api", false],
    ["/dashboard/%2e%2e/healthz", false],
    ["/dashboard/..", false],
  ])("%s is told to be as it was written: %p", async (target, asWritten) => {
    const told = await read("GET", target);
    expect(told.asWritten).toBe(asWritten);
    if (asWritten !== undefined) expect(told.hasBackslash).toBe(false);
  });

  test.each(["/v1\\plants", "/v1/plants\\5", "/v1/..\\plants"])("%s is told to have a backslash", async (target) => {
    expect((await read("GET", target)).hasBackslash).toBe(true);
  });
});
