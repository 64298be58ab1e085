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
});
