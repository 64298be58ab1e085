import { afterEach, describe, expect, test } from "bun:test";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { VERSION_SEGMENTS, versionPrefix } from "#contract/version.ts";
import { apiPerFile } from "#test/support/api-per-file.ts";
import { expectRefused } from "#test/support/refused.ts";
import { SERVER } from "#test/support/request-context.ts";
import { createApp } from "./app.ts";

const ORIGIN = "http://127.0.0.1:3000";

const api = apiPerFile();
const { send } = api;
const create = (path: string, id: number) => send("POST", path, { body: { id, name: "Fern" } });
afterEach(() => {
  api.app.service.draining = false;
});

describe("a service that is about to stop", () => {
  test("refuses what is new and tells the client to leave, but says that it lives", async () => {
    api.app.service.draining = true;
    for (const answer of [
      await create("/v1/plants", 1),
      await send("GET", "/v1/plants"),
      await send("GET", "/openapi.json"),
    ]) {
      expect([answer.headers.get("Connection"), answer.headers.has("Retry-After")]).toEqual(["close", true]);
      await expectRefused(answer, 50301);
    }
    expect((await send("GET", "/healthz")).status).toBe(200);
    expect((await send("GET", "/readyz")).status).toBe(503);
  });
});

test("a request of HTTP/1.0 without Host is answered as any other", async () => {
  const arrived = new Proxy(new Request(ORIGIN), {
    get: (request, name) => (name === "url" ? "/v1/plants" : Reflect.get(request, name, request)),
  });
  const answer = await createApp(api.app.service).fetch(arrived, SERVER);
  expect([answer.status, answer.headers.get("Plantstore-Version")]).toEqual([401, "1.0.0"]);
});

test.each(VERSION_SEGMENTS)(
  "version 1.0.0 is served under the spelling %j, and named in the answer",
  async (segment) => {
    const answer = await send("GET", `${versionPrefix(segment)}/plants`);
    expect([answer.status, answer.headers.get("Plantstore-Version")]).toEqual([200, "1.0.0"]);
  },
);

test.each(["/v9", "/v2/plants", "/1.1/plants", "/v0"])("%s names no version that there is", async (path) => {
  await expectRefused(
    await send("GET", path),
    40402,
    `There is no version ${path.split("/")[1]}; the versions are v1 (1.0.0), also written`,
  );
});

test("every operation that the document names is served, and none without a token", async () => {
  const anybody = new Request(ORIGIN).headers;
  for (const [name, { address }] of Object.entries(SHAPE_1.operations)) {
    const [method, path = ""] = address.split(" ");
    const init = { method, headers: anybody, body: method === "POST" || method === "PATCH" ? "{}" : undefined };
    const answer = await api.app.send(`/v1${path.replace("{id}", "1")}`, init);
    expect([name, (await answer.json()).error]).toEqual([name, 40101]);
  }
});
