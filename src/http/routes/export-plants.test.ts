import { describe, expect, test } from "bun:test";
import { apiPerFile } from "#test/support/api-per-file.ts";
import { eventually } from "#test/support/eventually.ts";
import { expectRefused } from "#test/support/refused.ts";

const api = apiPerFile();
const send = (path: string, { method = "GET", Accept = "*/*", as = api.token } = {}) =>
  api.send(method, path, { headers: { Accept }, as });
const exported = () => send("/v1/plants/export");

const entries = async () => {
  const asked = { action: "export", from: undefined, before: undefined, limit: 200 } as const;
  const { found } = await api.app.storage.reads.audit.list(api.holder.account, asked);
  return found.map(({ detail }) => detail);
};

describe("the type of an export", () => {
  const CSV = "text/csv; charset=utf-8; header=present";

  test.each([
    ["/v1/plants/export", "*/*", "application/x-ndjson", "plants.ndjson"],
    ["/v1/plants/export", "", "application/x-ndjson", "plants.ndjson"],
    ["/v1/plants/export", "text/csv", CSV, "plants.csv"],
    ["/v1/plants/export", "application/x-ndjson;q=0.5, text/csv", CSV, "plants.csv"],
    ["/v1/plants", "application/x-ndjson", "application/x-ndjson", "plants.ndjson"],
    ["/plants", "text/csv", CSV, "plants.csv"],
  ])("at %s with Accept %j is %s", async (path, Accept, type, name) => {
    const { headers } = await send(path, { Accept });
    expect(headers.get("Content-Type")).toBe(type);
    expect(headers.get("Content-Disposition")).toBe(`attachment; filename="${name}"`);
    expect([headers.get("Vary"), headers.get("Cache-Control")]).toEqual(["Accept", "private, no-cache"]);
  });

  test("that is not offered is refused after the token and its scope", async () => {
    await expectRefused(await send("/v1/plants/export", { Accept: "application/json" }), 40601);
    const writer = await api.app.token(api.holder, { scopes: ["plants:write"] });
    await expectRefused(await send("/v1/plants/export", { Accept: "application/json", as: writer }), 40301);
    await expectRefused(await send("/v1/plants/export", { Accept: "application/json", as: "" }), 40101);
  });
});

describe("an export", () => {
  test("is in the audit log with its type, and one that was refused is not", async () => {
    await (await send("/v1/plants", { Accept: "text/csv" })).text();
    await expectRefused(await send("/v1/plants/export", { Accept: "image/png" }), 40601);
    await eventually("it is there", async () => (await entries()).length > 0);
    expect(await entries()).toEqual([{ type: "text/csv" }]);
  });

  test("is made 120 times in an hour, since each leaves an entry in the audit log, and refused then", async () => {
    for (let made = 0; made < 120; made++) await (await exported()).text();
    await eventually("all are in the audit log", async () => (await entries()).length === 120);
    const refused = await exported();
    expect(refused.headers.get("RateLimit-Policy")).toBe('"export.made";q=120;w=3600');
    expect(Number(refused.headers.get("Retry-After"))).toBeWithin(3500, 3601);
    await expectRefused(refused, 42901);
  });
});
