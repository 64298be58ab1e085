import { expect, test } from "bun:test";
import { describeServices } from "./support/describe-services.ts";

describeServices("creating plants on %s", {}, (service) => {
  test("a create is answered with the plant, a repeated one the same, a different one of that id with 409", async () => {
    const as = await service.token();
    const create = (body: string) => service.send("POST", "/v1/plants", { as, body });
    const body = '{"id":9007199254740993,"name":"Monstera deliciosa","tag":"indoor"}';
    for (const replayed of [null, "true"]) {
      const answer = await create(body);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("Idempotent-Replayed")).toBe(replayed);
      expect(await answer.json()).toEqual({ name: "Monstera deliciosa", tag: "indoor" });
    }
    const other = await create('{"id":9007199254740993,"name":"Ficus"}');
    expect(other.status).toBe(409);
    expect(await other.json()).toEqual({ error: 40901, message: expect.stringContaining("another name or tag") });
    const alike = await create('{"id":9007199254740993,"name":"Monstera\u00a0deliciosa","tag":"indoor"}');
    expect(alike.status).toBe(409);
    expect(await alike.json()).toEqual({ error: 40901, message: expect.stringContaining("looks the same") });
  });

  test("what a create ignores is refused if the request prefers that, and the answer says so", async () => {
    const as = await service.token();
    const create = async (id: number, prefer: string, more: object) => {
      const body = JSON.stringify({ id, name: "Fern", ...more });
      const answer = await service.send("POST", "/v1/plants", { as, body, headers: { Prefer: prefer } });
      const { error } = await answer.json();
      return [answer.status, error, answer.headers.get("Preference-Applied")];
    };
    const applied = "handling=strict";
    expect(await create(1, "handling=strict", { tga: "indoor" })).toEqual([400, 40003, applied]);
    expect(await create(1, "handling=strict", { tag: "indoor" })).toEqual([200, undefined, applied]);
    expect(await create(1, 'wait=5, Handling="strict"; x', { tag: "indoor" })).toEqual([200, undefined, applied]);
    expect(await create(2, "handling=strict", { plant_id: "2", created_at: "x", updated_at: 1 })).toEqual([
      200,
      undefined,
      applied,
    ]);
    expect(await create(3, "handling=lenient, handling=strict", { tga: "indoor" })).toEqual([200, undefined, null]);
    expect(await create(4, "return=minimal, handling=strictly", { tga: "indoor" })).toEqual([200, undefined, null]);
  });
});
