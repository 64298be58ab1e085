import { parseArgs } from "node:util";

/**
 * The ways in which one account, or a stranger, may try to take the service from the others. `bench/neighbours.ts` starts
 * this file as a process of its own for each: `bun bench/abuses.ts NAME --url URL --token TOKEN --cookie COOKIE`. It repeats
 * the request on each connection until it is ended, at most for a minute.
 */
export interface Abuse {
  readonly name: string;
  /** 20 by default. */
  readonly connections?: number;
  /** One request; called again and again on each connection. */
  request(caller: Caller, count: number): Promise<Response>;
  /** The answer's body is left unread, and the connection dropped. */
  readonly leaves?: true;
}

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

function get(path: string, method = "GET", more: Record<string, string> = {}): Abuse["request"] {
  return ({ url, headers }) => fetch(url + path, { method, headers: { ...headers, ...more } });
}

function page(path: string): Abuse["request"] {
  return ({ url, session }) => fetch(`${url}/dashboard/api${path}`, { headers: session });
}

/** The same body each time; it is made at the first request. */
function post(path: string, type: string, make: () => string): Abuse["request"] {
  let body: string | undefined;
  return ({ url, headers }) => {
    body ??= make();
    return fetch(url + path, { method: "POST", headers: { ...headers, "Content-Type": type }, body });
  };
}

function creates(make: () => string): Abuse["request"] {
  return post("/v1/plants", JSON_TYPE, make);
}

function imports(type: string, make: () => string): Abuse["request"] {
  return post("/v1/plants/import", type, make);
}

function tool(method: string, params: object): Abuse["request"] {
  return post("/mcp", JSON_TYPE, () => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
}

function withoutToken(
  path: string,
  method: string,
  body?: object,
  more: Record<string, string> = {},
): Abuse["request"] {
  return ({ url }) => {
    const headers = { Origin: url, "Content-Type": "application/json", ...more };
    return fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  };
}

const members = (count: number) => Array.from({ length: count }, (_, index) => `"member ${index}":1e0`).join();
/** A form as long as a body may be. */
const MANY_MEMBERS = () => `{${members(55_000)}}`;
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const BLANK = "\n".repeat(8 * MIB);
const JSON_TYPE = "application/json";
/** A plant of the abuser with a name of a MiB. */
export const LARGE_PLANT = 1_000_000;
const WRONG = { email: "nobody@example.test", password: "a wrong password of somebody" };

/** The measure of the others: as many connections that read one plant. */
export const CONTROL: Abuse = { name: "control: reads of one plant", request: get("/v1/plants/1") };

export const ABUSES: readonly Abuse[] = [
  { name: "lists of 1,000", request: get("/v1/plants?limit=1000") },
  { name: "newest lists of 1,000", request: get("/v1/plants?limit=1000&order=-created_at") },
  { name: "searches", request: get("/v1/plants?q=zz") },
  { name: "searches of two letters", request: get("/v1/plants?q=q&limit=1000") },
  { name: "counts", request: page("/plants/matches?q=fern") },
  { name: "tags", request: page("/plants/tags") },
  { name: "feed, 1,000 a page", request: get("/v1/events?limit=1000") },
  { name: "long polls", request: get("/v1/events?cursor=latest&wait=1"), connections: 64 },
  {
    name: "streams that come and go",
    request: get("/v1/events", "GET", { Accept: "text/event-stream" }),
    leaves: true,
  },
  { name: "exports", request: get("/v1/plants/export"), connections: 8 },
  { name: "exports that are left", request: get("/v1/plants/export"), leaves: true },
  { name: "MCP list_plants", request: tool("tools/call", { name: "list_plants", arguments: { limit: 100 } }) },
  { name: "MCP tools/list", request: tool("tools/list", {}) },
  { name: "webhook endpoints that lag", request: get("/v1/webhooks") },
  { name: "Overview", request: page("/overview") },
  { name: "usage of a month", request: page("/usage?range=month&zone_minutes=0") },
  { name: "request log in vain", request: page("/requests?path=nowhere") },
  { name: "security log in vain", request: page("/audit?action=backup.made") },
  { name: "tokens", request: page("/tokens") },
  { name: "sessions", request: page("/sessions") },
  { name: "proofs", request: ({ url, session }) => prove(url, session) },
  { name: "sign-ins", request: withoutToken("/auth/sign-in/email", "POST", WRONG) },
  { name: "recovery", request: withoutToken("/dashboard/api/recovery", "POST", { email: WRONG.email }) },
  { name: "passkey challenges", request: withoutToken("/auth/passkey/generate-authenticate-options", "GET") },
  {
    name: "sign-ins begun at a provider that is silent, slow or endless",
    request: (caller, count) =>
      withoutToken(
        "/auth/oidc/begin",
        "POST",
        { purpose: "sign-in" },
        { "X-Forwarded-For": `10.0.0.${count % 256}` },
      )(caller, count),
  },
  { name: "the sign-in page", request: withoutToken("/dashboard/sign-in", "GET") },
  { name: "creates without a token", request: withoutToken("/v1/plants", "POST", {}), connections: 50 },
  {
    name: "large bodies without a token",
    request: ({ url }) => fetch(`${url}/v1/plants`, { method: "POST", body: BLANK }),
  },
  {
    name: "large creates on connections to be closed",
    request: ({ url, headers }) =>
      fetch(`${url}/v1/plants`, { method: "POST", headers: { ...headers, Connection: "close" }, body: BLANK }),
  },
  {
    name: "bodies of which half comes",
    request: (caller) => leaveUnread(caller, form(caller, 16_000, `{"email":"${"x".repeat(8000)}`), 1000),
    connections: 50,
  },
  {
    name: "forms that never end",
    request: (caller) => leaveUnread(caller, form(caller, 20, "{"), STAY_MS),
    connections: 10_200,
  },
  {
    name: "documents that nobody reads",
    request: (caller) => leaveUnread(caller, "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", STAY_MS),
    connections: 3000,
  },
  { name: "plants of a MB that nobody reads", request: readLargest, connections: 300 },
  { name: "the reference", request: withoutToken("/docs", "GET") },
  { name: "the document", request: withoutToken("/openapi.json", "GET") },
  { name: "HEAD of lists", request: get("/v1/plants?limit=1000", "HEAD") },
  { name: "OPTIONS", request: get("/v1/plants", "OPTIONS") },
  { name: "conditional reads", request: get("/v1/plants/1", "GET", { "If-None-Match": `"${"x".repeat(4000)}"` }) },
  { name: "versions that there are not", request: get("/v9/plants") },
  { name: "tokens that there are not", request: get("/v1/plants/1", "GET", { Authorization: "Bearer x" }) },
  { name: "imports", request: imports("application/x-ndjson", plants), connections: 4 },
  { name: "imports of refused lines", request: imports("application/x-ndjson", () => '{"id":1}\n'.repeat(200_000)) },
  { name: "imports of blank lines", request: imports("application/x-ndjson", () => BLANK) },
  { name: "CSV of a million commas", request: imports("text/csv", commas), connections: 8 },
  { name: "CSV of quotes without end", request: imports("text/csv", () => `id,name\n${'1,"a""'.repeat(MIB)}`) },
  {
    name: "creates of 90,000 members",
    request: creates(() => `{${members(55_000)},"id":1,"name":"a"}`),
    connections: 8,
  },
  { name: "creates of a MiB of escapes", request: creates(() => `{"id":1,"name":"${"\\u00e9".repeat(170_000)}"}`) },
  { name: "creates nested deep", request: creates(() => `{"id":1,"name":"a","more":${nested(500_000)}}`) },
  { name: "creates nested within 16 KiB", request: creates(() => `{"id":1,"name":"a","more":${nested(8000)}}`) },
  { name: "creates broken within 16 KiB", request: creates(() => `{"id":1,"name":"a","more":${"[".repeat(16_000)}`) },
  { name: "tests with a MiB of members", request: post("/v1/events/test", JSON_TYPE, MANY_MEMBERS) },
  { name: "endpoints with a MiB of members", request: post("/v1/webhooks", JSON_TYPE, MANY_MEMBERS) },
  { name: "replays with a MiB of members", request: post("/v1/webhooks/we_0/replay", JSON_TYPE, MANY_MEMBERS) },
  { name: "replays nested within 64 KiB", request: post("/v1/webhooks/we_0/replay", JSON_TYPE, () => nested(32_000)) },
  { name: "replays of 100 events", request: onEndpoint("POST", "/replay", hundredEvents) },
  { name: "deliveries, 1,000 a page", request: onEndpoint("GET", "/deliveries?limit=1000") },
  { name: "MCP, a batch of 50,000", request: post("/mcp", JSON_TYPE, () => `[${"{},".repeat(50_000)}{}]`) },
  {
    name: "forms of sign-in nested within 16 KiB",
    request: withoutToken("/auth/sign-in/email", "POST", { a: JSON.parse(nested(7900)) }),
  },
  { name: "lists with an Accept of 15 KB", request: get("/v1/plants?limit=1", "GET", { Accept: types(15_000) }) },
  { name: "lists with an Accept of 1,000", request: get("/v1/plants?limit=1", "GET", { Accept: types(1000) }) },
  { name: "lists with a query of 14 KB", request: get(`/v1/plants?${"a&".repeat(7000)}limit=1`) },
  {
    name: "the document, Accept-Encoding of 15 KB",
    request: withoutToken("/openapi.json", "GET", undefined, { "Accept-Encoding": "x;q=.1,".repeat(2100) }),
    connections: 200,
  },
  {
    name: "the reference, Accept-Encoding of 15 KB",
    request: withoutToken("/docs", "GET", undefined, { "Accept-Encoding": "x;q=.1,".repeat(2100) }),
    connections: 200,
  },
  { name: "the largest file, uncompressed", request: largestFile, connections: 200 },
  {
    name: "a plant of a MiB that the client has",
    request: get(`/v1/plants/${LARGE_PLANT}`, "GET", { "If-None-Match": "*" }),
  },
  { name: "creates of plants of a MB", request: createLarge },
  { name: "changes of a plant of a MiB", request: changeLargest },
  { name: "changes and back", request: (caller, count) => change(caller, 1, `Fern ${count % 2}`) },
  {
    name: "changes of many plants",
    request: (caller, count) => change(caller, anyPlant(), `Fern ${count}`),
    connections: 256,
  },
  {
    name: "changes of many plants of 60 kB",
    request: (caller, count) => change(caller, 1 + (count % 64), `${count}${"n".repeat(60_000)}`),
    connections: 64,
  },
  { name: "reads of many plants", request: (caller) => read(caller, anyPlant()), connections: 256 },
  {
    name: "reads of plants of 250 kB",
    request: (caller, count) => (count === 0 ? change(caller, 100, "n".repeat(250_000)) : read(caller, 100)),
    connections: 64,
  },
];

function anyPlant(): number {
  return 1 + Math.floor(Math.random() * 100_000);
}

function read(caller: Caller, id: number): Promise<Response> {
  return get(`/v1/plants/${id}`)(caller, 0);
}

function plants(): string {
  return Array.from({ length: 100_000 }, (_, id) => `{"id":${id},"name":"Fern number ${id}"}`).join("\n");
}

function commas(): string {
  return `id,name\n${Array.from({ length: 8 }, (_, id) => `${id},a${",".repeat(MIB - 100)}`).join("\n")}`;
}

function types(length: number): string {
  return "*/*;x,".repeat(length / 6);
}

/** The endpoint with the least id has a log of a thousand deliveries. */
function onEndpoint(method: string, path: string, body?: (caller: Caller) => Promise<string>): Abuse["request"] {
  let id: Promise<string> | undefined;
  let sent: Promise<string> | undefined;
  return async (caller) => {
    const { url, headers } = caller;
    id ??= fetch(`${url}/v1/webhooks`, { headers }).then(
      async (answer) => (await answer.json()).data.map(({ id }: { id: string }) => id).sort()[0],
    );
    sent ??= body?.(caller);
    const init = { method, headers: { ...headers, "Content-Type": JSON_TYPE }, body: await sent };
    return fetch(`${url}/v1/webhooks/${await id}${path}`, init);
  };
}

async function hundredEvents({ url, headers }: Caller): Promise<string> {
  const { data } = await (await fetch(`${url}/v1/events?limit=100`, { headers })).json();
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

function prove(url: string, session: Record<string, string>): Promise<Response> {
  const headers = { ...session, "Content-Type": "application/json" };
  return fetch(`${url}/dashboard/api/proof`, { method: "POST", headers, body: '{"password":"a wrong password"}' });
}

/** Sends the bytes on a connection of its own, takes nothing of what is answered, and leaves after that time. */
async function leaveUnread({ url }: Caller, bytes: string, afterMs: number): Promise<Response> {
  const { hostname, port } = new URL(url);
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open(opened) {
        opened.write(bytes);
        opened.pause();
      },
      data() {},
    },
  });
  await Bun.sleep(afterMs);
  socket.end();
  return new Response();
}

/** A form of that many bytes, of which only the beginning is sent. */
function form({ url }: Caller, length: number, beginning: string): string {
  const origin = `Host: ${new URL(url).host}\r\nOrigin: ${url}`;
  const head = `POST /auth/sign-in/email HTTP/1.1\r\n${origin}\r\nContent-Type: application/json`;
  return `${head}\r\nContent-Length: ${length}\r\n\r\n${beginning}`;
}

const LARGE_NAME = "x".repeat(1_000_000);

function readLargest(caller: Caller): Promise<Response> {
  const head = `GET /v1/plants/${LARGE_PLANT} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller.headers.Authorization}`;
  return leaveUnread(caller, `${head}\r\n\r\n`, STAY_MS);
}

/** Each with an id of its own. */
let lastLarge = -1;

function createLarge({ url, headers }: Caller): Promise<Response> {
  const body = `{"id":${--lastLarge},"name":"${LARGE_NAME}"}`;
  return fetch(`${url}/v1/plants`, { method: "POST", headers: { ...headers, "Content-Type": JSON_TYPE }, body });
}

/** Only its tag. */
function changeLargest({ url, headers }: Caller, count: number): Promise<Response> {
  return fetch(`${url}/v1/plants/${LARGE_PLANT}`, {
    method: "PATCH",
    headers: { ...headers, "Content-Type": JSON_TYPE },
    body: `{"tag":"shade ${count % 2}"}`,
  });
}

function change({ url, headers }: Caller, id: number, name: string): Promise<Response> {
  return fetch(`${url}/v1/plants/${id}`, {
    method: "PATCH",
    headers: { ...headers, "Content-Type": "application/merge-patch+json" },
    body: JSON.stringify({ name }),
  });
}

async function run(abuse: Abuse, caller: Caller, connections: number): Promise<void> {
  const until = performance.now() + RUN_MS_MAX;
  const connection = async () => {
    for (let count = 0; performance.now() < until; count++) {
      try {
        const answer = await abuse.request(caller, count);
        if (abuse.leaves) await answer.body?.cancel();
        else await answer.arrayBuffer();
        if (answer.status === 429) await Bun.sleep(10);
      } catch {
        // A connection that was cut is opened again.
        await Bun.sleep(10);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      url: { type: "string" },
      token: { type: "string" },
      cookie: { type: "string" },
      connections: { type: "string" },
    },
    allowPositionals: true,
  });
  const { url = "", token = "", cookie = "", connections = CONNECTIONS } = values;
  const abuse = [CONTROL, ...ABUSES].find(({ name }) => name === positionals[0]);
  if (!abuse) throw new Error(`There is no abuse called ${positionals[0]}`);
  const headers = { Authorization: `Bearer ${token}`, Accept: "application/json, text/event-stream, */*" };
  await run(abuse, { url, headers, session: { Cookie: cookie, Origin: url } }, Number(connections));
}
