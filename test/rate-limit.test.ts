import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService } from "./support/service.ts";

const LIMIT = 5;
const WINDOW_MS = 1000;

const service = await startService({ settings: { RATE_LIMIT: String(LIMIT), MCP: "on" } });
afterAll(() => service.stop());

const read = (token: string) => service.send("GET", "/v1/plants/1", { as: token });

/** The answers to a new token's first requests, all of the same second: a busy machine may send them in several. */
async function inOneWindow<Answer>(count: number, send: (token: string) => Promise<Answer>): Promise<Answer[]> {
  for (;;) {
    const token = await service.token();
    const since = performance.now();
    const answers = await Promise.all(Array.from({ length: count }, () => send(token)));
    if (performance.now() - since < WINDOW_MS) return answers;
  }
}

test("a token past its limit is answered 429 with what the RateLimit fields say, and another token is not", async () => {
  const other = await service.token();
  const answers = await inOneWindow(LIMIT + 3, read);
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(LIMIT);
  expect(refused).toHaveLength(3);
  for (const answer of refused) {
    expect(answer.headers.get("Retry-After")).toBe("1");
    expect(answer.headers.get("RateLimit-Policy")).toBe(`"token";q=${LIMIT};w=1`);
    expect(answer.headers.get("RateLimit")).toBe('"token";r=0;t=1');
    expect(await answer.json()).toEqual({ error: 42901, message: expect.any(String) });
  }
  expect((await read(other)).status).toBe(404);
});

test("when the window is over, the token is served again", async () => {
  const token = await service.token();
  await Promise.all(Array.from({ length: LIMIT + 1 }, () => read(token)));
  let answer = await read(token);
  for (const start = Date.now(); answer.status === 429 && Date.now() - start < 5000; ) {
    await Bun.sleep(Number(answer.headers.get("Retry-After")) * 1000);
    answer = await read(token);
  }
  expect(answer.status).toBe(404);
  expect(answer.headers.get("RateLimit")).toMatch(/^"token";r=[0-4];t=1$/);
});

test("a create counts too, and its answer says what is left", async () => {
  const token = await service.token();
  const answer = await service.send("POST", "/v1/plants", { as: token, body: { id: 1, name: "Fern" } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("RateLimit")).toBe(`"token";r=${LIMIT - 1};t=1`);
});

test("an import is slowed down to the limit, and none of its records is refused", async () => {
  const token = await service.token();
  const headers = { "Content-Type": "application/x-ndjson" };
  const count = 3 * LIMIT;
  const body = Array.from({ length: count }, (_, id) => `{"id":${id},"name":"Fern"}`).join("\n");
  const start = performance.now();
  const answer = await service.send("POST", "/v1/plants/import", { as: token, headers, body });
  expect([answer.status, await answer.json()]).toMatchObject([200, { created: count }]);
  // The first window has room for some; each further one ends after a second.
  expect(performance.now() - start).toBeGreaterThan(1900);
});

test("while an import goes on, single requests of its token are served; lines that change nothing, and dry runs, count nothing", async () => {
  const token = await service.token();
  const send = (path: string, count: number) =>
    service.send("POST", path, {
      as: token,
      headers: { "Content-Type": "application/x-ndjson" },
      body: Array.from({ length: count }, (_, id) => `{"id":${id},"name":"Fern"}`).join("\n"),
    });
  const importing = send("/v1/plants/import", 4 * LIMIT);
  let ended = false;
  importing.finally(() => (ended = true));
  const statuses: number[] = [];
  while (!ended) {
    statuses.push((await read(token)).status);
    await Bun.sleep(1100);
  }
  expect(await (await importing).json()).toMatchObject({ created: 4 * LIMIT });
  expect(statuses).not.toContain(429);
  for (const path of ["/v1/plants/import", "/v1/plants/import?dry_run=true"]) {
    const began = performance.now();
    expect(await (await send(path, 4 * LIMIT)).json()).toMatchObject({ unchanged: 4 * LIMIT });
    expect(performance.now() - began).toBeLessThan(1900);
  }
});

test("a bulk removal is slowed down as an import is, and a dry run of either counts nothing", async () => {
  const token = await service.token();
  const headers = { "Content-Type": "application/x-ndjson" };
  const send = (path: string, body: string) => service.send("POST", `/v1/plants/${path}`, { as: token, headers, body });
  const ids = Array.from({ length: 2 * LIMIT }, (_, id) => id);
  const plants = ids.map((id) => `{"id":${id},"name":"Fern"}`).join("\n");
  const start = performance.now();
  for (const [path, body] of [
    ["import?existing=update&dry_run=true", plants],
    ["remove?dry_run=true", ids.join("\n")],
  ] as const)
    for (let time = 0; time < 5; time++) expect((await send(path, body)).status).toBe(200);
  // Otherwise it would take 30 seconds.
  expect(performance.now() - start).toBeLessThan(10_000);
  await send("import", plants);
  const removing = performance.now();
  expect(await (await send("remove", ids.join("\n"))).json()).toMatchObject({ removed: ids.length });
  expect(performance.now() - removing).toBeGreaterThan(1900);
}, 30_000);

describe("POST /mcp", () => {
  async function send(token: string, method: string, params: object = {}) {
    const headers = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18" };
    const body = { jsonrpc: "2.0", id: 1, method, params };
    const answer = await service.send("POST", "/mcp", { as: token, headers, body });
    return { status: answer.status, body: await answer.json() };
  }

  const getPlant = (token: string) => send(token, "tools/call", { name: "get_plant", arguments: { id: "1" } });
  const textOf = ({ body }: Awaited<ReturnType<typeof send>>): string => body.result.content[0].text;

  beforeAll(async () => {
    // The first call loads the protocol, which may take longer than the window of the limit.
    await send(await service.token(), "tools/list");
  });

  test("a call of a tool counts once, and one past the limit is told to the agent with its number", async () => {
    const answers = (await inOneWindow(LIMIT + 2, getPlant)).map(textOf);
    expect(answers.filter((text) => text.startsWith("40403: "))).toHaveLength(LIMIT);
    expect(answers.filter((text) => text.startsWith("42901: "))).toHaveLength(2);
  });

  test.each([
    ["a list of the tools", "tools/list", {}],
    ["a call of a tool that there is not", "tools/call", { name: "no_tool", arguments: {} }],
    ["a call that is refused before it reaches the store", "tools/call", { name: "get_plant", arguments: { id: 1.5 } }],
  ])("%s counts too", async (_, method, params) => {
    const answers = await inOneWindow(LIMIT + 2, (token) => send(token, method, params));
    const refused = answers.filter(({ status }) => status === 429);
    const error = { code: -32000, message: expect.stringMatching(/^42901: This token may send/) };
    expect(refused.map(({ body }) => body)).toEqual(Array(2).fill({ jsonrpc: "2.0", id: 1, error }));
  });

  test("each message of a batch counts, and one past the limit is refused by an error with its own id", async () => {
    const batch = Array.from({ length: LIMIT + 2 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
    const headers = { Accept: "application/json, text/event-stream" };
    const [answers] = await inOneWindow(1, async (token) =>
      (await service.send("POST", "/mcp", { as: token, headers, body: batch })).json(),
    );
    expect(answers.map(({ id }: { id: number }) => id)).toEqual(batch.map(({ id }) => id));
    expect(answers.slice(0, LIMIT).every(({ result }: { result?: object }) => result)).toBe(true);
    const error = { code: -32000, message: expect.stringMatching(/^42901: /) };
    expect(answers.slice(LIMIT)).toMatchObject(Array(2).fill({ error }));
  });
});
