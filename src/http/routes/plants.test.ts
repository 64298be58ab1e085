import { beforeEach, describe, expect, test } from "bun:test";
import type { Account } from "#core/account.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";

const PLANTS = "/v1/plants";
const JSON_TYPE = { "Content-Type": "application/json" };

let app: OpenApp;
let holder: Account;
let token: string;
let stranger: string;

withAppPerFile(async (opened, account) => {
  [app, holder] = [opened, account];
  token = await app.token(holder);
  stranger = await app.token(await app.account());
});

interface Sent {
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
  readonly as?: string;
}

function send(method: string, path: string, { body, headers = {}, as = token }: Sent = {}): Promise<Response> {
  const type = body === undefined ? {} : JSON_TYPE;
  const authorization: Record<string, string> = as === "" ? {} : { Authorization: `Bearer ${as}` };
  return app.send(path, { method, body, headers: { ...type, ...authorization, ...headers } });
}

const create = (body: string, more: Omit<Sent, "body"> = {}) => send("POST", PLANTS, { ...more, body });

async function fern(id = "7"): Promise<string> {
  const answer = await create(`{"id":${id},"name":"Fern","tag":"shade"}`);
  expect(answer.status).toBe(200);
  return (await send("GET", `${PLANTS}/${id}`)).headers.get("ETag") ?? "";
}

const ids = async (query: string) => {
  const text = await (await send("GET", `${PLANTS}?${query}`)).text();
  return [...text.matchAll(/"id":(-?\d+)/g)].map(([, id]) => id);
};

describe("a token", () => {
  test.each([
    ["GET", PLANTS],
    ["POST", PLANTS],
    ["GET", `${PLANTS}/7`],
    ["PATCH", `${PLANTS}/7`],
    ["DELETE", `${PLANTS}/7`],
    ["GET", `${PLANTS}/export`],
    ["POST", `${PLANTS}/import`],
  ])("is asked for by %s %s, and one that is unknown is refused", async (method, path) => {
    const body = method === "GET" || method === "DELETE" ? undefined : '{"id":7,"name":"Fern"}';
    const missing = await send(method, path, { body, as: "" });
    expect(missing.headers.get("WWW-Authenticate")).toStartWith("Bearer");
    await expectRefused(missing, 40101);
    await expectRefused(await send(method, path, { body, as: "plant_unknown" }), 40102);
  });

  test("does what its scopes say, and nothing else", async () => {
    await fern();
    const reading = await app.token(holder, { scopes: ["plants:read"] });
    const writing = await app.token(holder, { scopes: ["plants:write"] });
    for (const [method, path] of [
      ["POST", PLANTS],
      ["PATCH", `${PLANTS}/7`],
      ["DELETE", `${PLANTS}/7`],
    ] as const) {
      await expectRefused(await send(method, path, { body: '{"id":7,"name":"x"}', as: reading }), 40301);
    }
    for (const path of [PLANTS, `${PLANTS}/7`, `${PLANTS}/export`]) {
      await expectRefused(await send("GET", path, { as: writing }), 40301);
    }
    const changed = await send("PATCH", `${PLANTS}/7`, { body: '{"name":"Moss"}', as: writing });
    expect([changed.status, await changed.text()]).toEqual([204, ""]);
  });

  test("of another account finds no plant to read, change or remove, and lists and exports none", async () => {
    await fern();
    for (const [method, body] of [["GET"], ["PATCH", '{"name":"x"}'], ["DELETE"]] as const) {
      await expectRefused(await send(method, `${PLANTS}/7`, { body, as: stranger }), 40403);
    }
    expect(await (await send("GET", PLANTS, { as: stranger })).json()).toMatchObject({ data: [] });
    expect(await (await send("GET", `${PLANTS}/export`, { as: stranger })).text()).toBe("");
    expect((await send("GET", `${PLANTS}/7`)).status).toBe(200);
  });
});

describe("a create", () => {
  test("may be repeated, says so, and is refused for another plant under its id", async () => {
    const first = await create('{"id":9007199254740993,"name":"Fern"}');
    expect([first.status, first.headers.get("Idempotent-Replayed")]).toEqual([200, null]);
    expect(await (await send("GET", `${PLANTS}/9007199254740993`)).text()).toContain('"id":9007199254740993,');
    const again = await create('{"name":"Fern","id":9007199254740993}');
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
    await expectRefused(await create('{"id":9007199254740993,"name":"Moss"}'), 40901);
    await expectRefused(await create('{"id":9007199254740993,"name":"Fern","tag":""}'), 40901);
  });

  test.each([
    ["", 40001],
    ["{", 40001],
    ["[]", 40002],
    ['{"id":1}', 40002],
    ['{"name":"x"}', 40002],
    ['{"id":"1","name":"x"}', 40003],
    ['{"id":1.5,"name":"x"}', 40003],
    ['{"id":9223372036854775808,"name":"x"}', 40003],
    ['{"id":1,"name":null}', 40003],
    ['{"id":1,"name":"\\u0000"}', 40003],
    ['{"id":1,"name":"x","tag":7}', 40003],
  ])("of %s is refused, and nothing is kept", async (body, error) => {
    await expectRefused(await create(body), error);
    expect(await ids("")).toEqual([]);
  });

  test("that is no UTF-8, of another type, encoded, or too long is refused", async () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    await expectRefused(
      await send("POST", PLANTS, { body: bytes }),
      40001,
      "Cannot read the body: it must be JSON in UTF-8",
    );
    const body = '{"id":1,"name":"x"}';
    await expectRefused(await create(body, { headers: { "Content-Type": "text/plain" } }), 41501);
    const packed = Bun.gzipSync(new TextEncoder().encode(body));
    const zipped = await send("POST", PLANTS, { body: packed, headers: { "Content-Encoding": "gzip" } });
    expect(zipped.headers.get("Accept-Encoding")).toBe("identity");
    await expectRefused(zipped, 41501, "The body must be sent plain");
    await expectRefused(await create(`{"id":1,"name":"${"x".repeat(1024 * 1024)}"}`), 41301);
    expect(await ids("")).toEqual([]);
  });
});

describe("a plant", () => {
  test("is read, and its tag spares the client what it has", async () => {
    const tag = await fern();
    const read = await send("GET", `${PLANTS}/7`);
    expect(await read.json()).toMatchObject({ id: 7, name: "Fern", tag: "shade" });
    const fresh = await send("GET", `${PLANTS}/7`, { headers: { "If-None-Match": `"other", ${tag}` } });
    expect([fresh.status, await fresh.text(), fresh.headers.get("ETag")]).toEqual([304, "", tag]);
    await expectRefused(await send("GET", `${PLANTS}/7`, { headers: { "If-Match": '"other"' } }), 41201);
    await expectRefused(await send("GET", `${PLANTS}/8`, { headers: { "If-Match": "*" } }), 41201);
  });

  test("is changed and removed under the tag that its reader saw, and not under an older one", async () => {
    const first = await fern();
    const changed = await send("PATCH", `${PLANTS}/7`, { body: '{"tag":null}', headers: { "If-Match": first } });
    expect(await changed.json()).not.toHaveProperty("tag");
    const old = { headers: { "If-Match": first } };
    await expectRefused(await send("PATCH", `${PLANTS}/7`, { body: '{"name":"x"}', ...old }), 41201);
    await expectRefused(
      await send("DELETE", `${PLANTS}/7`, old),
      41201,
      '"If-Match" does not hold: the plant was changed',
    );
    const current = { headers: { "If-Match": changed.headers.get("ETag") ?? "" } };
    expect((await send("DELETE", `${PLANTS}/7`, current)).status).toBe(204);
    await expectRefused(await send("DELETE", `${PLANTS}/7`), 40403);
  });

  test("is patched as a merge patch or as JSON, and by no other type", async () => {
    await fern();
    const patch = (type: string) =>
      send("PATCH", `${PLANTS}/7`, { body: '{"name":"Moss"}', headers: { "Content-Type": type } });
    expect((await patch("application/merge-patch+json; charset=utf-8")).status).toBe(200);
    expect((await patch("application/json")).status).toBe(200);
    await expectRefused(await patch("application/json-patch+json"), 41501);
  });

  test.each(["0x7", "7.0", "+7", "07", "9223372036854775808", "seven"])("is not looked for by %s", async (id) => {
    await expectRefused(await send("GET", `${PLANTS}/${id}`), 40004);
  });
});

describe("a list", () => {
  beforeEach(async () => {
    const rows = [..."abcdefg"].map((name, id) => ({
      id: BigInt(id),
      name: `Fern ${name}`,
      tag: id % 2 ? "odd" : undefined,
    }));
    await app.service.store.plants.createMany(holder.number, rows);
  });

  test("goes from page to page by its links, with its filters and its order", async () => {
    const seen: string[] = [];
    let address: string | undefined = `${PLANTS}?q=FERN&order=-created_at&limit=2`;
    while (address) {
      const answer = await send("GET", address);
      const page = await answer.json();
      seen.push(...page.data.map(({ name }: { name: string }) => name.at(-1)));
      const [, next] = /^<http:\/\/127\.0\.0\.1:3000(.*)>; rel="next"$/.exec(answer.headers.get("Link") ?? "") ?? [];
      expect(next === undefined).toBe(page.next_cursor === null);
      address = next;
    }
    expect(seen.join("")).toBe("gfedcba");
  });

  test("is filtered by an exact tag and by a part of the name", async () => {
    expect(await ids("tag=odd")).toEqual(["1", "3", "5"]);
    expect(await ids("tag=od")).toEqual([]);
    expect(await ids("q=n%20c")).toEqual(["2"]);
    expect(await ids("tag=odd&q=n%20c")).toEqual([]);
  });

  test.each([
    "limit=0",
    "limit=1001",
    "limit=two",
    "order=name",
    "cursor=altered",
    "cursor=",
    "limit=1&limit=2",
    "q=%ff",
  ])("with %s is refused", async (query) => {
    await expectRefused(await send("GET", `${PLANTS}?${query}`), 40004);
  });

  test("goes on with a cursor in its own order alone", async () => {
    const { next_cursor } = await (await send("GET", `${PLANTS}?limit=1`)).json();
    expect((await ids(`limit=2&cursor=${next_cursor}`)).length).toBe(2);
    await expectRefused(await send("GET", `${PLANTS}?order=-created_at&cursor=${next_cursor}`), 40004);
  });

  test.each([
    ["application/json", "application/json"],
    ["*/*", "application/json"],
    ["application/x-ndjson", "application/x-ndjson"],
    ["text/csv;q=0.5, application/x-ndjson;q=0.4", "text/csv; charset=utf-8; header=present"],
  ])("that accepts %s is given %s", async (accept, type) => {
    const answer = await send("GET", PLANTS, { headers: { Accept: accept } });
    expect([answer.status, answer.headers.get("Content-Type"), answer.headers.get("Vary")]).toEqual([
      200,
      type,
      "Accept",
    ]);
    expect(answer.headers.get("Events-Cursor")).toBeTruthy();
    await answer.text();
  });

  test("that accepts nothing of it is refused", async () => {
    await expectRefused(await send("GET", PLANTS, { headers: { Accept: "image/png" } }), 40601);
    await expectRefused(await send("GET", `${PLANTS}/export`, { headers: { Accept: "application/json" } }), 40601);
  });
});

describe("an export and an import", () => {
  test.each(["application/x-ndjson", "text/csv"])("as %s are each other's inverse", async (type) => {
    const rows = [
      '{"id":-9223372036854775808,"name":"a \\"quoted\\", one","tag":""}',
      '{"id":2,"name":"line\\nbreak"}',
      '{"id":3,"name":"🌵"}',
    ];
    const first = await send("POST", PLANTS, {
      body: `${rows.join("\n")}\n`,
      headers: { "Content-Type": "application/x-ndjson" },
    });
    expect(await first.json()).toMatchObject({ created: 3 });
    const text = await (await send("GET", `${PLANTS}/export`, { headers: { Accept: type } })).text();
    const copy = { body: text, headers: { "Content-Type": type }, as: stranger };
    expect(await (await send("POST", `${PLANTS}/import`, copy)).json()).toMatchObject({ created: 3, failed: 0 });
    const copied = await (await send("GET", `${PLANTS}/export`, { as: stranger, headers: { Accept: type } })).text();
    const withoutTimes = (rows: string) => rows.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");
    expect(withoutTimes(copied)).toBe(withoutTimes(text));
    expect(await (await send("POST", `${PLANTS}/import`, copy)).json()).toMatchObject({ created: 0, unchanged: 3 });
  });

  test("an import takes what is right, and names the line of what is not", async () => {
    const body = '{"id":1,"name":"a"}\n{"id":"x","name":"b"}\n\n{"id":1,"name":"c"}\n{"id":2,"name":"d"}\n';
    const answer = await send("POST", `${PLANTS}/import`, {
      body,
      headers: { "Content-Type": "application/x-ndjson" },
    });
    const report = await answer.json();
    expect(report).toMatchObject({ created: 2, failed: 2 });
    expect(report.errors.map(({ line, error }: { line: number; error: number }) => [line, error])).toEqual([
      [2, 40003],
      [4, 40901],
    ]);
  });

  test("an import of one plant's JSON is refused at its own address", async () => {
    await expectRefused(await send("POST", `${PLANTS}/import`, { body: '{"id":1,"name":"a"}' }), 41501);
  });
});

test("each address names its methods to one that it does not serve, and an unknown address has none", async () => {
  for (const [path, allow] of [
    [PLANTS, "GET, HEAD, OPTIONS, POST"],
    [`${PLANTS}/7`, "DELETE, GET, HEAD, OPTIONS, PATCH"],
    [`${PLANTS}/export`, "GET, HEAD, OPTIONS"],
    [`${PLANTS}/import`, "OPTIONS, POST"],
    ["/v1/events", "GET, HEAD, OPTIONS"],
    ["/v1/webhooks", "GET, HEAD, OPTIONS, POST"],
    ["/healthz", "GET, HEAD, OPTIONS"],
  ] as const) {
    const answer = await send("PUT", path, { body: "{}" });
    expect([path, answer.headers.get("Allow")?.split(", ").sort().join(", ")]).toEqual([path, allow]);
    await expectRefused(answer, 40501);
  }
  await expectRefused(await send("GET", "/v1/trees"), 40401);
  await expectRefused(await send("GET", "/v9/plants"), 40402);
});
