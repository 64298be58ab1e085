import { afterAll, describe, expect, test } from "bun:test";
import type { ApiRequest } from "./support/api-request.ts";
import { HARD_PLANTS, plantJson } from "./support/hard-plants.ts";
import { expectRefused } from "./support/refused.ts";
import { startService } from "./support/service.ts";

let lastId = 1000;

const service = await startService();
afterAll(() => service.stop());
const token = await service.token();

const ask = (method: string, path: string, sent: ApiRequest = {}) =>
  service.send(method, `/v1/plants${path}`, { as: token, ...sent });

/** Creates a plant and returns its id and ETag. */
async function planted(plant: Record<string, unknown> = { name: "Fern", tag: "indoor" }) {
  const id = ++lastId;
  expect((await ask("POST", "", { body: JSON.stringify({ id, ...plant }) })).status).toBe(200);
  const etag = (await ask("GET", `/${id}`)).headers.get("ETag") ?? "";
  return { id, etag };
}

describe("a read", () => {
  test("gives every id and text back exactly, and 304 to whoever has it already", async () => {
    for (const { id, name, tag } of HARD_PLANTS) {
      await ask("POST", "", { body: plantJson({ id, name, tag }) });
      const answer = await ask("GET", `/${id}`);
      expect(await answer.text()).toStartWith(`${plantJson({ id, name, tag }).slice(0, -1)},"created_at":"20`);
      const etag = answer.headers.get("ETag") ?? "";
      expect((await ask("GET", `/${id}`, { headers: { "If-None-Match": `"other", W/${etag}` } })).status).toBe(304);
    }
  });
});

describe("a change", () => {
  test("is a merge patch: what is left out stays, null removes the tag, and it is answered as a read is", async () => {
    const { id, etag } = await planted();
    const named = await ask("PATCH", `/${id}`, { body: '{"name":"Tree fern"}' });
    expect(named.status).toBe(200);
    expect(named.headers.get("ETag")).not.toBe(etag);
    const read = await ask("GET", `/${id}`);
    expect(await read.text()).toBe(await named.text());
    expect(read.headers.get("ETag")).toBe(named.headers.get("ETag"));
    const untagged = await (await ask("PATCH", `/${id}`, { body: '{"tag":null}' })).json();
    const times = { created_at: expect.any(String), updated_at: expect.any(String) };
    expect(untagged).toEqual({ id, plant_id: String(id), name: "Tree fern", ...times });
    expect(await (await ask("PATCH", `/${id}`, { body: '{"tag":""}' })).json()).toMatchObject({ tag: "" });
  });

  test("of nothing leaves the plant, its ETag and its time as they were", async () => {
    const { id, etag } = await planted();
    const before = await (await ask("GET", `/${id}`)).text();
    for (const body of ["{}", '{"name":"Fern"}', '{"tag":"indoor","name":"Fern"}']) {
      const answer = await ask("PATCH", `/${id}`, { body });
      expect([answer.headers.get("ETag"), await answer.text()]).toEqual([etag, before]);
    }
  });

  test("keeps hard ids and texts exactly", async () => {
    for (const { id, name, tag = "" } of HARD_PLANTS) {
      await ask("POST", "", { body: plantJson({ id, name: "x" }) });
      const answer = await ask("PATCH", `/${id}`, { body: plantJson({ id, name: tag, tag: name }) });
      expect(await answer.text()).toStartWith(plantJson({ id, name: tag, tag: name }).slice(0, -1));
    }
  });

  test("takes the plant's own id in any spelling, and no other", async () => {
    const { id } = await planted();
    for (const same of [`${id}`, `${id}.0`, `${id}e0`, `${id * 10}E-1`]) {
      expect((await ask("PATCH", `/${id}`, { body: `{"id":${same}}` })).status).toBe(200);
    }
    for (const other of [id + 1, `${id}.5`, `"${id}"`, "null", "1e999", `${id}.00000000000000000001`]) {
      await expectRefused(await ask("PATCH", `/${id}`, { body: `{"id":${other}}` }), 40003);
    }
    await ask("POST", "", { body: '{"id":9007199254740993,"name":"exact"}' });
    const neighbour = await ask("PATCH", "/9007199254740993", { body: '{"id":9007199254740992}' });
    await expectRefused(neighbour, 40003);
  });

  test("is refused by what is wrong with it, and then changes nothing", async () => {
    const { id, etag } = await planted();
    const refused: [string, number][] = [
      ["", 40001],
      ['{"name":', 40001],
      ["null", 40002],
      ['["name"]', 40002],
      ['"name"', 40002],
      ['{"name":null}', 40003],
      ['{"name":5}', 40003],
      ['{"tag":{}}', 40003],
      ['{"name":"\\u0000"}', 40003],
      ['{"tag":"\\ud800"}', 40003],
    ];
    for (const [body, error] of refused) {
      await expectRefused(await ask("PATCH", `/${id}`, { body }), error);
    }
    expect((await ask("GET", `/${id}`)).headers.get("ETag")).toBe(etag);
  });

  test("comes as a merge patch or as JSON, and as nothing else", async () => {
    const { id } = await planted();
    for (const type of ["application/merge-patch+json", "application/json; charset=utf-8"]) {
      const answer = await ask("PATCH", `/${id}`, { body: "{}", headers: { "Content-Type": type } });
      expect(answer.status).toBe(200);
    }
    for (const type of ["text/plain", "application/json-patch+json", "text/csv"]) {
      const answer = await ask("PATCH", `/${id}`, { body: "{}", headers: { "Content-Type": type } });
      await expectRefused(answer, 41501);
    }
  });

  test("of a plant that is not there is 404, of an id that is none 40004", async () => {
    await expectRefused(await ask("PATCH", "/-404", { body: "{}" }), 40403);
    for (const id of ["05", "+5", "5.0", "x", "9223372036854775808"]) {
      await expectRefused(await ask("PATCH", `/${id}`, { body: "{}" }), 40004);
      await expectRefused(await ask("DELETE", `/${id}`), 40004);
    }
  });
});

describe("a removal", () => {
  test("is answered 204 once, then 404, and the id is free again with another ETag", async () => {
    const { id, etag } = await planted();
    const removed = await ask("DELETE", `/${id}`);
    expect([removed.status, await removed.text()]).toEqual([204, ""]);
    await expectRefused(await ask("DELETE", `/${id}`), 40403);
    expect((await ask("GET", `/${id}`)).status).toBe(404);
    await ask("POST", "", { body: `{"id":${id},"name":"Fern","tag":"indoor"}` });
    expect((await ask("GET", `/${id}`)).headers.get("ETag")).not.toBe(etag);
  });
});

describe("If-Match", () => {
  const holding = (etag: string) => [etag, "*", `"other", ${etag}`, `W/"x",${etag}`];
  const failing = (etag: string) => [
    `"other"`,
    `W/${etag}`,
    `w/${etag}`,
    `x${etag}`,
    etag.slice(1, -1),
    `"a", "b"`,
    `${etag.slice(0, -1)}x"`,
  ];

  test("lets a change through by strong comparison alone", async () => {
    const { id, etag } = await planted();
    for (const ifMatch of holding(etag)) {
      expect((await ask("PATCH", `/${id}`, { body: "{}", headers: { "If-Match": ifMatch } })).status).toBe(200);
    }
    for (const ifMatch of failing(etag)) {
      const answer = await ask("PATCH", `/${id}`, { body: '{"name":"lost"}', headers: { "If-Match": ifMatch } });
      await expectRefused(answer, 41201);
    }
    expect(await (await ask("GET", `/${id}`)).json()).toMatchObject({ name: "Fern" });
  });

  test("guards a removal the same way, and fails where there is no plant", async () => {
    const { id, etag } = await planted();
    for (const ifMatch of failing(etag)) {
      await expectRefused(await ask("DELETE", `/${id}`, { headers: { "If-Match": ifMatch } }), 41201);
    }
    expect((await ask("DELETE", `/${id}`, { headers: { "If-Match": etag } })).status).toBe(204);
    for (const ifMatch of ["*", etag]) {
      await expectRefused(await ask("DELETE", `/${id}`, { headers: { "If-Match": ifMatch } }), 41201);
    }
  });

  test("lets one of many that change the same state win", async () => {
    const { id, etag } = await planted();
    const tries = Array.from({ length: 20 }, (_, i) =>
      ask("PATCH", `/${id}`, { body: `{"name":"try ${i}"}`, headers: { "If-Match": etag } }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(412)]);
  });
});

test("a token without the scope may not change or remove, nor a stranger see that there is anything", async () => {
  const { id } = await planted();
  for (const [as, expected] of [
    [await service.token({ scopes: ["plants:read"] }), 40301],
    [await service.token(), 40403],
  ] as const) {
    await expectRefused(await ask("PATCH", `/${id}`, { as, body: "{}" }), expected);
    await expectRefused(await ask("DELETE", `/${id}`, { as }), expected);
  }
});

test("If-Match that does not hold is 412 for a read too; If-None-Match that holds is 412 for a change", async () => {
  const { id, etag } = await planted();
  for (const method of ["GET", "HEAD", "PATCH", "DELETE"]) {
    const answer = await ask(method, `/${id}`, {
      ...(method === "PATCH" ? { body: "{}" } : {}),
      headers: { "If-Match": '"old"' },
    });
    expect([method, answer.status]).toEqual([method, 412]);
  }
  expect((await ask("GET", `/${id}`, { headers: { "If-Match": etag, "If-None-Match": etag } })).status).toBe(304);
  for (const ifNoneMatch of [etag, `W/${etag}`, "*"]) {
    const headers = { "If-None-Match": ifNoneMatch };
    await expectRefused(await ask("PATCH", `/${id}`, { body: "{}", headers }), 41201);
    await expectRefused(await ask("DELETE", `/${id}`, { headers }), 41201);
  }
  expect((await ask("DELETE", `/${id}`, { headers: { "If-None-Match": '"other"' } })).status).toBe(204);
});

test("a change by a token that may not read is answered 204, and tells nothing of the plant", async () => {
  const writing = await service.token({ scopes: ["plants:write"] });
  await ask("POST", "", { body: '{"id":1,"name":"Fern"}', as: writing });
  for (const body of ["{}", '{"name":"Ivy"}']) {
    const answer = await ask("PATCH", "/1", { body, as: writing });
    expect([answer.status, answer.headers.get("ETag"), await answer.text()]).toEqual([204, null, ""]);
  }
});

test("HEAD says the length of the answer to GET, or none", async () => {
  const { id } = await planted();
  for (const path of [`/${id}`, "?limit=1", "/export"]) {
    const [get, head] = await Promise.all([ask("GET", path), ask("HEAD", path)]);
    expect([head.status, await head.text()]).toEqual([get.status, ""]);
    const length = head.headers.get("Content-Length");
    if (length !== null) expect(length).toBe(String((await get.arrayBuffer()).byteLength));
    else await get.arrayBuffer();
  }
  for (const path of ["/healthz", "/openapi.json", "/docs", "/dashboard", "/dashboard/api/welcome", "/nowhere"]) {
    for (const encoding of ["identity", "br", "gzip"]) {
      const headers = { "Accept-Encoding": encoding };
      const sent = ["GET", "HEAD"].map((method) => fetch(service.url + path, { method, headers }));
      const [get, head] = await Promise.all(sent);
      const length = String((await get?.arrayBuffer())?.byteLength);
      const isEncoded = head?.headers.has("Content-Encoding");
      expect([path, head?.headers.get("Content-Length")]).toEqual([path, isEncoded ? null : length]);
    }
  }
});

test("a slash after a page leads on", async () => {
  const docs = await fetch(`${service.url}/docs/`, { redirect: "manual" });
  expect([docs.status, docs.headers.get("Location")]).toEqual([308, "/docs"]);
  expect((await fetch(`${service.url}/v1/plants/`, { redirect: "manual" })).status).toBe(404);
});
