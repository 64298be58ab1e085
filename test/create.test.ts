import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ENGINES } from "./support/engines.ts";
import { startService, type TestService } from "./support/service.ts";

describe.each(ENGINES)("creating plants on %s", (engine) => {
  let service: TestService;
  let token: string;

  beforeAll(async () => {
    service = await startService({ engine });
    token = await service.token();
  });
  afterAll(() => service.stop());

  const create = (body: string) => service.send("POST", "/v1/plants", { as: token, body });

  test("a create is answered with the plant, a repeated one the same, a different one of that id with 409", async () => {
    const body = '{"id":9007199254740993,"name":"Monstera deliciosa","tag":"indoor"}';
    for (const replayed of [null, "true"]) {
      const answer = await create(body);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("Idempotent-Replayed")).toBe(replayed);
      expect(await answer.json()).toEqual({ name: "Monstera deliciosa", tag: "indoor" });
    }
    const other = await create('{"id":9007199254740993,"name":"Ficus"}');
    expect(other.status).toBe(409);
    expect(await other.json()).toEqual({ error: 40901, message: expect.any(String) });
  });
});
