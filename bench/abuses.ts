import { parseArgs } from "node:util";

/**
 * The ways in which one account, or a stranger, may try to take the service from the others. `bench/neighbours.ts` starts
 * this file as a process of its own for each: `bun bench/abuses.ts NAME --url URL --token TOKEN --cookie COOKIE`. It repeats
 * the request on each connection until it is ended, at most for a minute.
 */
export type Abuse = readonly [name: string, request: Request, connections?: number];

/** One request; it is repeated on each connection. */
type Request = (caller: Caller, count: number) => Promise<Response>;

interface Caller {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly session: Record<string, string>;
}

const CONNECTIONS = 20;
const RUN_MS_MAX = 60_000;
/** For connections that wait for nothing. */
const STAY_MS = 30_000;
const MIB = 1024 * 1024;
const JSON_TYPE = "application/json";
const NDJSON = "application/x-ndjson";
/** A plant of the abuser with a name of a MiB. */
export const LARGE_PLANT = 1_000_000;
const LARGE = `/v1/plants/${LARGE_PLANT}`;
const WRONG = { email: "nobody@example.test", password: "a wrong password of somebody" };
const BLANK = "\n".repeat(8 * MIB);

function get(path: string, more: Record<string, string> = {}, method = "GET"): Request {
  return ({ url, headers }) => fetch(url + path, { method, headers: { ...headers, ...more } });
}

function page(path: string): Request {
  return ({ url, session }) => fetch(`${url}/dashboard/api${path}`, { headers: session });
}

/** The same body each time; it is made at the first request. */
function post(path: string, make: (caller: Caller) => string | Promise<string>, type = JSON_TYPE): Request {
  let body: Promise<string> | undefined;
  return async (caller) => {
    body ??= Promise.resolve(make(caller));
    return sent("POST", path, await body, type)(caller, 0);
  };
}

function sent(method: string, path: string, body: string, type = JSON_TYPE): Request {
  return ({ url, headers }) => fetch(url + path, { method, headers: { ...headers, "Content-Type": type }, body });
}

function creates(make: () => string): Request {
  return post("/v1/plants", make);
}

function imports(type: string, make: () => string): Request {
  return post("/v1/plants/import", make, type);
}

function tool(method: string, params: object): Request {
  return post("/mcp", () => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
}

/** Posts the form, or gets the page if there is none, as somebody who is not signed in. */
function stranger(path: string, form?: object, more: Record<string, string> = {}): Request {
  return ({ url }) => {
    const headers = { Origin: url, "Content-Type": JSON_TYPE, ...more };
    return fetch(url + path, { method: form ? "POST" : "GET", headers, body: form && JSON.stringify(form) });
  };
}

/** The answer's body is left unread, and the connection dropped. */
function left(request: Request): Request {
  return async (caller, count) => {
    await (await request(caller, count)).body?.cancel();
    return new Response();
  };
}

function change(id: number, name: string): Request {
  return sent("PATCH", `/v1/plants/${id}`, JSON.stringify({ name }), "application/merge-patch+json");
}

const members = (count: number) => Array.from({ length: count }, (_, index) => `"member ${index}":1e0`).join();
/** A form as long as a body may be. */
const MANY_MEMBERS = () => `{${members(55_000)}}`;
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const nestedPlant = (more: string) => creates(() => `{"id":1,"name":"a","more":${more}}`);
const types = (length: number) => ({ Accept: "*/*;x,".repeat(length / 6) });
const encodings = { "Accept-Encoding": "x;q=.1,".repeat(2100) };
const plants = () => Array.from({ length: 100_000 }, (_, id) => `{"id":${id},"name":"Fern number ${id}"}`).join("\n");
const shaded = (count: number) =>
  Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"tag":"shade ${count % 2}"}`).join("\n");
const commas = () => `id,name\n${Array.from({ length: 8 }, (_, id) => `${id},a${",".repeat(MIB - 100)}`).join("\n")}`;
const anyPlant = () => 1 + Math.floor(Math.random() * 100_000);

/** The measure of the others: as many connections that read one plant. */
export const CONTROL: Abuse = ["control: reads of one plant", get("/v1/plants/1")];

export const ABUSES: readonly Abuse[] = [
  ["lists of 100", get("/v1/plants?limit=100")],
  ["lists of 100, 256 connections", get("/v1/plants?limit=100"), 256],
  ["lists of 1,000", get("/v1/plants?limit=1000")],
  ["newest lists of 1,000", get("/v1/plants?limit=1000&order=-created_at")],
  ["searches", get("/v1/plants?q=zz")],
  ["searches of two letters", get("/v1/plants?q=q&limit=1000")],
  ["counts", page("/plants/matches?q=fern")],
  ["tags", page("/plants/tags")],
  ["feed, 1,000 a page", get("/v1/events?limit=1000")],
  ["long polls", get("/v1/events?cursor=latest&wait=1"), 64],
  ["streams that come and go", left(get("/v1/events", { Accept: "text/event-stream" }))],
  ["exports", get("/v1/plants/export"), 8],
  ["exports that are left", left(get("/v1/plants/export"))],
  ["MCP list_plants", tool("tools/call", { name: "list_plants", arguments: { limit: 100 } })],
  ["MCP tools/list", tool("tools/list", {})],
  ["webhook endpoints that lag", get("/v1/webhooks")],
  ["Overview", page("/overview")],
  ["usage of a month", page("/usage?range=month&zone_minutes=0")],
  ["request log in vain", page("/requests?path=nowhere")],
  ["security log in vain", page("/audit?action=backup.made")],
  ["tokens", page("/tokens")],
  ["sessions", page("/sessions")],
  ["proofs", (caller) => stranger("/dashboard/api/proof", { password: WRONG.password }, caller.session)(caller, 0)],
  ["sign-ins", stranger("/auth/sign-in/email", WRONG)],
  ["recovery", stranger("/dashboard/api/recovery", { email: WRONG.email })],
  ["passkey challenges", stranger("/auth/passkey/generate-authenticate-options")],
  ["sign-ins begun at a provider that is silent, slow or endless", beginSignIn],
  ["the sign-in page", stranger("/dashboard/sign-in")],
  ["creates without a token", stranger("/v1/plants", {}), 50],
  ["large bodies without a token", ({ url }) => fetch(`${url}/v1/plants`, { method: "POST", body: BLANK })],
  ["large creates on connections to be closed", blankCreate],
  [
    "bodies of which half comes",
    (caller) => unread(caller, form(caller, 16_000, `{"email":"${"x".repeat(8000)}`), 1000),
    50,
  ],
  ["forms that never end", (caller) => unread(caller, form(caller, 20, "{")), 10_200],
  ["documents that nobody reads", (caller) => unread(caller, head("GET /openapi.json", "localhost")), 3000],
  ["plants of a MB that nobody reads", readLargest, 300],
  ["the reference", stranger("/docs")],
  ["the document", stranger("/openapi.json")],
  ["HEAD of lists", get("/v1/plants?limit=1000", {}, "HEAD")],
  ["OPTIONS", get("/v1/plants", {}, "OPTIONS")],
  ["conditional reads", get("/v1/plants/1", { "If-None-Match": `"${"x".repeat(4000)}"` })],
  ["versions that there are not", get("/v9/plants")],
  ["tokens that there are not", get("/v1/plants/1", { Authorization: "Bearer x" })],
  ["imports", imports(NDJSON, plants), 4],
  [
    "imports that update",
    (caller, count) => sent("POST", "/v1/plants/import?existing=update", shaded(count), NDJSON)(caller, 0),
    4,
  ],
  ["imports of refused lines", imports(NDJSON, () => '{"id":1}\n'.repeat(200_000))],
  ["imports of blank lines", imports(NDJSON, () => BLANK)],
  ["CSV of a million commas", imports("text/csv", commas), 8],
  ["CSV of quotes without end", imports("text/csv", () => `id,name\n${'1,"a""'.repeat(MIB)}`)],
  ["creates of 90,000 members", creates(() => `{${members(55_000)},"id":1,"name":"a"}`), 8],
  ["creates of a MiB of escapes", creates(() => `{"id":1,"name":"${"\\u00e9".repeat(170_000)}"}`)],
  ["creates nested deep", nestedPlant(nested(500_000))],
  ["creates nested within 16 KiB", nestedPlant(nested(8000))],
  ["creates broken within 16 KiB", creates(() => `{"id":1,"name":"a","more":${"[".repeat(16_000)}`)],
  ["tests with a MiB of members", post("/v1/events/test", MANY_MEMBERS)],
  ["endpoints with a MiB of members", post("/v1/webhooks", MANY_MEMBERS)],
  ["replays with a MiB of members", post("/v1/webhooks/we_0/replay", MANY_MEMBERS)],
  ["replays nested within 64 KiB", post("/v1/webhooks/we_0/replay", () => nested(32_000))],
  ["replays of 100 events", onEndpoint((path) => post(`${path}/replay`, hundredEvents))],
  ["deliveries, 1,000 a page", onEndpoint((path) => get(`${path}/deliveries?limit=1000`))],
  ["MCP, a batch of 50,000", post("/mcp", () => `[${"{},".repeat(50_000)}{}]`)],
  ["forms of sign-in nested within 16 KiB", stranger("/auth/sign-in/email", { a: JSON.parse(nested(7900)) })],
  ["lists with an Accept of 15 KB", get("/v1/plants?limit=1", types(15_000))],
  ["lists with an Accept of 1,000", get("/v1/plants?limit=1", types(1000))],
  ["lists with a query of 14 KB", get(`/v1/plants?${"a&".repeat(7000)}limit=1`)],
  ["the document, Accept-Encoding of 15 KB", stranger("/openapi.json", undefined, encodings), 200],
  ["the reference, Accept-Encoding of 15 KB", stranger("/docs", undefined, encodings), 200],
  ["the largest file, uncompressed", largestFile, 200],
  ["a plant of a MiB that the client has", get(LARGE, { "If-None-Match": "*" })],
  ["creates of plants of a MB", createLarge],
  ["changes of a plant of a MiB", (caller, count) => sent("PATCH", LARGE, `{"tag":"shade ${count % 2}"}`)(caller, 0)],
  ["changes and back", (caller, count) => change(1, `Fern ${count % 2}`)(caller, 0)],
  ["changes of many plants", (caller, count) => change(anyPlant(), `Fern ${count}`)(caller, 0), 256],
  [
    "changes of many plants of 60 kB",
    (caller, count) => change(1 + (count % 64), `${count}${"n".repeat(60_000)}`)(caller, 0),
    64,
  ],
  ["reads of many plants", (caller) => get(`/v1/plants/${anyPlant()}`)(caller, 0), 256],
  [
    "reads of plants of 250 kB",
    (caller, count) => (count === 0 ? change(100, "n".repeat(250_000)) : get("/v1/plants/100"))(caller, 0),
    64,
  ],
];

/** Each from another network. */
function beginSignIn(caller: Caller, count: number): Promise<Response> {
  return stranger(
    "/auth/oidc/begin",
    { purpose: "sign-in" },
    { "X-Forwarded-For": `10.0.0.${count % 256}` },
  )(caller, 0);
}

function blankCreate({ url, headers }: Caller): Promise<Response> {
  return fetch(`${url}/v1/plants`, { method: "POST", headers: { ...headers, Connection: "close" }, body: BLANK });
}

/** Asks below the path of the endpoint with the least id, which has a log of a thousand deliveries. */
function onEndpoint(request: (path: string) => Request): Request {
  let made: Promise<Request> | undefined;
  return async (caller, count) => {
    made ??= get("/v1/webhooks")(caller, 0).then(async (answer) => {
      const ids = (await answer.json()).data.map(({ id }: { id: string }) => id).sort();
      return request(`/v1/webhooks/${ids[0]}`);
    });
    return (await made)(caller, count);
  };
}

async function hundredEvents(caller: Caller): Promise<string> {
  const { data } = await (await get("/v1/events?limit=100")(caller, 0)).json();
  return JSON.stringify({ events: data.map(({ id }: { id: string }) => id) });
}

/** The largest of the files that the page of sign-in names. */
function largestFile({ url }: Caller): Promise<Response> {
  largest ??= fetch(`${url}/dashboard/sign-in`).then(async (page) => {
    const paths = (await page.text()).match(/\/dashboard\/assets\/[^"']+/g) ?? [];
    const sizes = await Promise.all(paths.map(async (path) => (await (await fetch(url + path)).bytes()).length));
    return paths[sizes.indexOf(Math.max(...sizes))] ?? "/favicon.ico";
  });
  return largest.then((path) => fetch(url + path, { headers: { "Accept-Encoding": "identity" } }));
}
let largest: Promise<string> | undefined;

/** Sends the bytes on a connection of its own, takes nothing of what is answered, and leaves after that time. */
async function unread({ url }: Caller, bytes: string, afterMs = STAY_MS): Promise<Response> {
  const { hostname, port } = new URL(url);
  const open = (socket: Bun.Socket) => {
    socket.write(bytes);
    socket.pause();
  };
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { open, data() {} } });
  await Bun.sleep(afterMs);
  socket.end();
  return new Response();
}

function head(request: string, host: string, ...headers: string[]): string {
  return [`${request} HTTP/1.1`, `Host: ${host}`, ...headers, "", ""].join("\r\n");
}

/** A form of that many bytes, of which only the beginning is sent. */
function form({ url }: Caller, length: number, beginning: string): string {
  const headers = [`Origin: ${url}`, `Content-Type: ${JSON_TYPE}`, `Content-Length: ${length}`];
  return head("POST /auth/sign-in/email", new URL(url).host, ...headers) + beginning;
}

function readLargest(caller: Caller): Promise<Response> {
  return unread(caller, head(`GET ${LARGE}`, "localhost", `Authorization: ${caller.headers.Authorization}`));
}

const LARGE_NAME = "x".repeat(1_000_000);
/** Each with an id of its own. */
let lastLarge = -1;

function createLarge(caller: Caller): Promise<Response> {
  return sent("POST", "/v1/plants", `{"id":${--lastLarge},"name":"${LARGE_NAME}"}`)(caller, 0);
}

async function run(request: Request, caller: Caller, connections: number): Promise<void> {
  const until = performance.now() + RUN_MS_MAX;
  const connection = async () => {
    for (let count = 0; performance.now() < until; count++) {
      // A connection that was cut is opened again.
      const answer = await request(caller, count).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer === undefined || answer.status === 429) await Bun.sleep(10);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

if (import.meta.main) {
  const text = { type: "string", default: "" } as const;
  const options = { url: text, token: text, cookie: text, connections: text };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const { url, token, cookie, connections } = values;
  const [, request] = [CONTROL, ...ABUSES].find(([name]) => name === positionals[0]) ?? [];
  if (!request) throw new Error(`There is no abuse called ${positionals[0]}`);
  const headers = { Authorization: `Bearer ${token}`, Accept: "application/json, text/event-stream, */*" };
  await run(request, { url, headers, session: { Cookie: cookie, Origin: url } }, Number(connections || CONNECTIONS));
}
