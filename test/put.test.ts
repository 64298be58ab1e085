import { afterAll, describe, expect, test } from "bun:test";
import type { ApiRequest } from "./support/api-request.ts";
import { ENGINES } from "./support/engines.ts";
import { HARD_PLANTS, plantJson } from "./support/hard-plants.ts";
import { expectRefused } from "./support/refused.ts";
import { startService } from "./support/service.ts";

let lastId = 1000;

describe.each(ENGINES)("a PUT, on %s,", async (engine) => {
  const service = await startService({ engine });
  afterAll(() => service.stop());
  const token = await service.token();
  const ask = (method: string, path: string, sent: ApiRequest = {}) =>
    service.send(method, `/v1/plants${path}`, { as: token, ...sent });
  const put = (id: number | bigint | string, body: unknown, headers: Record<string, string> = {}, as = token) =>
    ask("PUT", `/${id}`, { body: typeof body === "string" ? body : JSON.stringify(body), headers, as });
  /** The types of all events of that plant, in their order. */
  const typesOf = async (id: number): Promise<string[]> => {
    const answer = await service.send("GET", "/v1/events?limit=1000", { as: token });
    const { data } = (await answer.json()) as { data: { type: string; data: { plant_id: string } }[] };
    return data.filter(({ data }) => data.plant_id === String(id)).map(({ type }) => type);
  };

  test("creates a plant, replaces it, and writes nothing for the same values again", async () => {
    const id = ++lastId;
    const created = await put(id, { name: "Fern", tag: "indoor" });
    const etags = [created.headers.get("ETag")];
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ id, name: "Fern", tag: "indoor", created_at: expect.any(String) });
    const replaced = await put(id, { name: "Tree fern" });
    etags.push(replaced.headers.get("ETag"));
    expect([replaced.status, replaced.headers.get("Idempotent-Replayed")]).toEqual([200, null]);
    const text = await replaced.text();
    expect(JSON.parse(text)).not.toHaveProperty("tag");
    const again = await put(id, { name: "Tree fern" });
    etags.push(again.headers.get("ETag"));
    expect([again.status, again.headers.get("Idempotent-Replayed"), await again.text()]).toEqual([200, "true", text]);
    const read = await ask("GET", `/${id}`);
    expect(await read.text()).toBe(text);
    expect(read.headers.get("ETag")).toBe(etags[1] ?? "");
    expect(etags[0]).not.toBe(etags[1]);
    expect(etags[2]).toBe(etags[1]);
    expect(await typesOf(id)).toEqual(["plant.created", "plant.changed"]);
  });

  test("keeps every id and text exactly, and takes what a read has answered", async () => {
    for (const { id, name, tag } of HARD_PLANTS) {
      const answer = await put(id, { name, tag });
      expect([201, 200]).toContain(answer.status);
      const text = await (await ask("GET", `/${id}`)).text();
      expect(text).toStartWith(`{"id":${id},`);
      expect(text).toContain(
        plantJson({ id, name, tag })
          .replace(/^.*?"name"/, '"name"')
          .slice(0, -1),
      );
      expect((await put(id, text)).headers.get("Idempotent-Replayed")).toBe("true");
    }
  });

  test("takes an id in its body only if it is that of the address, and not one that was rounded beside plant_id", async () => {
    const big = 9007199254740995n;
    const rounded = '"id":9007199254740996';
    expect(
      (await put(big, `{"plant_id":"${big}",${rounded},"name":"Fern","created_at":1,"updated_at":null}`)).status,
    ).toBe(201);
    expect((await put(big, `{"id":${big},"name":"Fern"}`)).status).toBe(200);
    await expectRefused(await put(big, `{${rounded},"name":"Fern"}`), 40003, 'Cannot replace the plant: "id"');
    for (const plant_id of ['"9007199254740996"', String(big), `"0${big}"`, "null"]) {
      await expectRefused(
        await put(big, `{"plant_id":${plant_id},"id":${big},"name":"Fern"}`),
        40003,
        'Cannot replace the plant: "plant_id"',
      );
    }
  });

  test("refuses what a create refuses, and members that there are not", async () => {
    const id = ++lastId;
    for (const [body, error] of [
      ["", 40001],
      ["[]", 40002],
      ['{"tag":"x"}', 40002],
      ['{"name":null}', 40003],
      ['{"name":"x","tag":null}', 40003],
      ['{"name":"x","nmae":"y"}', 40003],
      ['{"name":"\\u0000"}', 40003],
    ] as const) {
      await expectRefused(await put(id, body), error);
    }
    for (const path of ["05", "+5", "5.0", "9223372036854775808", "-9223372036854775809", "x"]) {
      await expectRefused(await put(path, { name: "Fern" }), 40004);
    }
    await expectRefused(await put(id, { name: "x" }, { "Content-Type": "text/plain" }), 41501);
    await expectRefused(await put(id, { name: "x".repeat(1024 * 1024) }), 41301);
    await expectRefused(await ask("GET", `/${id}`), 40403);
  });

  test("creates only, or replaces only, where its conditions say so", async () => {
    const id = ++lastId;
    const none = { "If-None-Match": "*" };
    for (const headers of [{ "If-Match": "*" }, { "If-Match": '"x.1"' }]) {
      await expectRefused(await put(id, { name: "Fern" }, headers), 41201, '"If-Match"');
    }
    const created = await put(id, { name: "Fern" }, none);
    const etag = created.headers.get("ETag") ?? "";
    expect(created.status).toBe(201);
    for (const headers of [none, { "If-None-Match": etag }]) {
      await expectRefused(await put(id, { name: "Fern" }, headers), 41201, '"If-None-Match"');
    }
    const replaced = await put(id, { name: "Moss" }, { "If-Match": etag });
    expect(replaced.status).toBe(200);
    await expectRefused(await put(id, { name: "Rose" }, { "If-Match": etag }), 41201);
    expect((await put(id, { name: "Rose" }, { "If-Match": "*" })).status).toBe(200);
    await ask("DELETE", `/${id}`);
    await expectRefused(await put(id, { name: "Rose" }, { "If-Match": "*" }), 41201);
    expect((await put(id, { name: "Rose" }, { "If-None-Match": etag })).status).toBe(201);
  });

  test("by a token that may not read is answered without the plant, with its ETag", async () => {
    const id = ++lastId;
    const blind = await service.token({ scopes: ["plants:write"] });
    const answers = [];
    for (const name of ["Fern", "Moss", "Moss"]) answers.push(await put(id, { name }, {}, blind));
    expect(answers.map(({ status }) => status)).toEqual([201, 204, 204]);
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(["", "", ""]);
    for (const { headers } of answers) expect(headers.get("ETag")).toMatch(/^"[^"]+"$/);
    const reader = await service.token({ scopes: ["plants:read"] });
    await expectRefused(await put(id, { name: "x" }, {}, reader), 40301);
  });

  test("of many at once on one id creates one plant, and each later one replaces what was there", async () => {
    const id = ++lastId;
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => put(id, { name: `n${at}` }, at % 3 === 0 ? { "If-None-Match": "*" } : {})),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([201, 200, 412]));
    const etags = answers.flatMap(({ headers }) => headers.get("ETag") ?? []);
    expect(new Set(etags).size).toBe(etags.length);
    const types = await typesOf(id);
    expect(types).toEqual(["plant.created", ...Array.from({ length: etags.length - 1 }, () => "plant.changed")]);
  });
});
