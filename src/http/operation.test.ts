import { describe, expect, test } from "bun:test";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { VERSION_SEGMENTS, versionPrefix } from "#contract/version.ts";
import { SCOPES } from "#core/token.ts";
import { apiPerFile } from "#test/support/api-per-file.ts";
import { expectRefused } from "#test/support/refused.ts";

const api = apiPerFile(SCOPES);

interface Parameter {
  readonly name: string;
  readonly in: string;
}

/** Every operation but the single create, with the type of a body that it takes and the parameters that it has. */
const OPERATIONS = Object.entries(SHAPE_1.operations)
  .filter(([name]) => name !== "createPlant")
  .map(([name, { address, parameters = [], requestBody }]) => {
    const [method = "", path = ""] = address.split(" ");
    const [type] = Object.keys(requestBody?.content ?? {});
    const known = (parameters as readonly Parameter[]).filter((each) => each.in === "query").map((each) => each.name);
    return { name, method, path: path.replace("{id}", "1"), type, known };
  });

describe.each(VERSION_SEGMENTS)("under the version %j", (segment) => {
  const ask = (method: string, address: string, type?: string) =>
    api.send(method, `${versionPrefix(segment)}${address}`, {
      ...(type !== undefined && { body: "{}", headers: { "Content-Type": type } }),
    });

  test("each operation refuses a parameter that it has not, and names those that it has", async () => {
    for (const { name, method, path, type, known } of OPERATIONS) {
      const answer = await ask(method, `${path}?limitt=1&%20=%`, type);
      const { error, message } = await answer.json();
      const taken = known.length === 0 ? "none" : known.join(", ");
      expect([name, error, message]).toEqual([
        name,
        40004,
        `The query is malformed: it has the parameter "limitt", and this address takes ${taken}`,
      ]);
    }
  });

  test("a single create looks at no query, and one in bulk at its own", async () => {
    const create = { body: { id: 1, name: "Fern" } };
    const answer = await api.send("POST", `${versionPrefix(segment)}/plants?x=%&errors_max=x`, create);
    expect(answer.status).toBe(200);
    await expectRefused(await ask("POST", "/plants?x=y", "application/x-ndjson"), 40004);
  });
});

test("what is wrong with the token, the type or the size of a body is said before", async () => {
  const patch = (headers: Record<string, string>, body = "{}") =>
    api.send("PATCH", "/v1/plants/1?x=y", { body, headers });
  await expectRefused(await patch({ Authorization: "Bearer x" }), 40102);
  await expectRefused(await patch({ "Content-Type": "text/plain" }), 41501);
  await expectRefused(await patch({}, "x".repeat(1024 * 1024 + 1)), 41301);
});

test("a secret as the name of a parameter is not repeated", async () => {
  const answer = await api.send("GET", `/v1/token?${api.token}`);
  await expectRefused(answer, 40004, 'The query is malformed: it has the parameter "plant_…"');
});

test("any token reads itself and its store, as it is now", async () => {
  const { app, holder } = api;
  for (const scope of SCOPES) {
    const as = await app.token(holder, { scopes: [scope], name: "Nightly sync" });
    const answer = await api.send("GET", "/v1/token", { as });
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(await answer.json()).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: "Nightly sync",
      scopes: [scope],
      expires_at: null,
      store: { id: holder.storeId, name: expect.any(String), test: false },
    });
  }
  const expiresAt = Date.UTC(2100, 0, 1);
  const ending = await (await api.send("GET", "/v1/token", { as: await app.token(holder, { expiresAt }) })).json();
  expect(ending.expires_at).toBe("2100-01-01T00:00:00.000Z");
  await expectRefused(await api.send("GET", "/v1/token", { as: "plant_x" }), 40102);
});
