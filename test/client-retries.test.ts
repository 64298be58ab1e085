import { expect, spyOn, test } from "bun:test";
import type { ClientOptions, Exchange } from "#client/call-options.ts";
import { PlantstoreError, PlantstoreUnreachable } from "#client/error.ts";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { cuttingService, refusedWith, type ScriptedService, scriptedService } from "./support/scripted-service.ts";

const ALOE = { id: 1n, name: "Aloe" };
/** An answer that does not come. */
const NEVER = new Promise<Response>(() => {});
const CREATED = Response.json({ name: "Aloe" });

function clientOf({ url }: ScriptedService, options: Partial<ClientOptions> = {}): PlantstoreClient {
  return new PlantstoreClient({ url, token: "plant_secret", ...options });
}

/** The number of the refusal, if it is one. */
async function failureOrResult(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error) => (error instanceof PlantstoreError ? error.error : error));
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const failed = await promise.then(
    () => undefined,
    (error) => error,
  );
  if (!(failed instanceof Error)) throw new Error("It did not fail");
  return failed;
}

test("a create that is refused for the moment is sent again until it is taken", async () => {
  using service = scriptedService(
    refusedWith(50301),
    refusedWith(42901),
    new Response("Bad gateway", { status: 502 }),
    CREATED,
  );
  expect(await clientOf(service).create(ALOE)).toEqual({ name: "Aloe", replayed: false });
  expect(service.requests.map(({ body }) => body)).toEqual(Array(4).fill('{"id":1,"name":"Aloe"}'));
});

test("an answer that is cut in the middle counts as none", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n";
  using service = cuttingService(`${head}{"name":`, `${head}{"name":"Aloe"}`);
  expect(await clientOf(service).create(ALOE)).toEqual({ name: "Aloe", replayed: false });
});

test.each([40003, 40102, 40301, 40901, 41301, 50001])(
  "%p is thrown at once, as trying again cannot help",
  async (error) => {
    using service = scriptedService(refusedWith(error), CREATED);
    expect(await failureOf(clientOf(service).create(ALOE))).toMatchObject({ error, inDoubt: false });
    expect(service.requests).toHaveLength(1);
  },
);

test.each([
  ["in seconds", () => "1"],
  // It has no milliseconds, so up to one second is lost.
  ["as a date", () => new Date(Date.now() + 2000).toUTCString()],
])("Retry-After %s is waited for", async (_form, wait) => {
  using service = scriptedService(() => refusedWith(42901, { "Retry-After": wait() }), CREATED);
  await clientOf(service).create(ALOE);
  const [first, second] = service.requests;
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(950);
});

test("a Retry-After beyond the call's time is not waited for, and told to the caller", async () => {
  using service = scriptedService(refusedWith(42901, { "Retry-After": "3600" }));
  expect(await failureOf(clientOf(service).create(ALOE))).toMatchObject({ error: 42901, retryAfterMs: 3_600_000 });
  expect(service.requests).toHaveLength(1);
});

test("a try that takes too long is given up and made again", async () => {
  using service = scriptedService(() => NEVER, CREATED);
  expect(await clientOf(service, { tryTimeoutMs: 2000 }).create(ALOE)).toEqual({ name: "Aloe", replayed: false });
});

test("the whole call ends with its time, whatever its tries may", async () => {
  using service = scriptedService(() => NEVER);
  const client = clientOf(service, { tryTimeoutMs: 3_600_000 });
  const failure = await failureOf(client.create(ALOE, { timeoutMs: 300 }));
  expect(failure).toBeInstanceOf(PlantstoreUnreachable);
  expect(failure).toMatchObject({ reason: "timeout" });
});

test("an aborted signal ends the call with the signal's reason, before, during and between tries", async () => {
  using slow = scriptedService(() => NEVER);
  using refusing = scriptedService(refusedWith(50301, { "Retry-After": "30" }));
  const reason = new Error("The grower left");
  const before = clientOf(slow).create(ALOE, { signal: AbortSignal.abort(reason) });
  expect(await failureOf(before)).toBe(reason);
  expect(slow.requests).toHaveLength(0);
  for (const service of [slow, refusing]) {
    const controller = new AbortController();
    const call = failureOf(clientOf(service).create(ALOE, { signal: controller.signal }));
    await eventually("it is sent", () => service.requests.length > 0);
    controller.abort(reason);
    expect(await call).toBe(reason);
  }
});

const CALLS: readonly ((client: PlantstoreClient) => Promise<unknown>)[] = [
  (client) => client.create(ALOE),
  (client) => client.get(1),
  (client) => client.put(ALOE),
  (client) => client.change(1, { name: "Ficus" }),
  (client) => client.remove(1),
  (client) => client.token(),
  (client) => Array.fromAsync(client.list()),
  (client) => Array.fromAsync(client.export()),
  (client) => Array.fromAsync(client.history(1)),
  (client) => client.importPlants([ALOE]),
  (client) => client.removeMany([1n]),
  (client) => client.webhooks.list(),
  (client) => client.webhooks.remove("we_1"),
];

test("while nothing can be sent, each call waits for the service, longer than its tries would last", async () => {
  const port = freePort();
  const away = `http://127.0.0.1:${port}`;
  const told = CALLS.map(() => 0);
  using _ = spyOn(Math, "random").mockReturnValue(0.05);
  const calls = CALLS.map(async (call, at) => {
    const onExchange = ({ error }: Exchange) => {
      if (error instanceof PlantstoreUnreachable && error.reason === "network" && !error.sent) told[at]! += 1;
    };
    return failureOrResult(call(new PlantstoreClient({ url: away, token: "plant_x", retriesMax: 1, onExchange })));
  });
  await eventually("each was tried more often than it may be sent", () => told.every((count) => count > 3));
  using server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ error: 40401, message: "x" }, { status: 404 }),
  });
  expect(await Promise.all(calls)).toEqual(CALLS.map(() => 40401));
  expect(server.port).toBe(port);
  const gone = new PlantstoreClient({ url: `http://127.0.0.1:${freePort()}`, token: "plant_x" });
  const failure = await failureOf(gone.remove(1, { timeoutMs: 1500 }));
  expect(failure).toMatchObject({ reason: "network", sent: false });
});

test("a change with a condition is sent again, and a refusal that its lost try may have caused is marked", async () => {
  using service = scriptedService(new Response("", { status: 504 }), refusedWith(41201));
  const failure = await failureOf(clientOf(service).change(1, { name: "Ficus" }, { ifMatch: '"1.1"' }));
  expect(failure).toMatchObject({ error: 41201, inDoubt: true });
  expect(service.requests.map(({ headers }) => headers.get("if-match"))).toEqual(['"1.1"', '"1.1"']);
});

test("a token function is asked before each try, and once more when its token is refused", async () => {
  using service = scriptedService(refusedWith(40102), CREATED, refusedWith(40102));
  const asked: (string | undefined)[] = [];
  const token = async (refused?: string) => {
    asked.push(refused);
    return `plant_${asked.length}`;
  };
  const client = clientOf(service, { token });
  expect(await client.create(ALOE)).toEqual({ name: "Aloe", replayed: false });
  expect(asked).toEqual([undefined, "plant_1"]);
  expect(await failureOf(client.create(ALOE))).toMatchObject({ error: 40102 });
  expect(asked).toEqual([undefined, "plant_1", undefined, "plant_3"]);
  const sent = service.requests.map(({ headers }) => headers.get("authorization"));
  expect(sent).toEqual(["Bearer plant_1", "Bearer plant_2", "Bearer plant_3", "Bearer plant_4"]);
});

test("a token function that fails or stalls ends the call", async () => {
  using service = scriptedService(CREATED);
  const ended = new Error("The session has ended");
  expect(await failureOf(clientOf(service, { token: () => Promise.reject(ended) }).create(ALOE))).toBe(ended);
  const stalled = clientOf(service, { token: () => new Promise<string>(() => {}), timeoutMs: 50 }).create(ALOE);
  expect(await failureOf(stalled)).toMatchObject({ reason: "timeout" });
  expect(service.requests).toHaveLength(0);
});

test("no error repeats the token", async () => {
  using refusing = scriptedService(refusedWith(40102));
  using cut = cuttingService("");
  const tokens = ["plant_secret", "plant_secret\n", "plant_secret ü", ""];
  for (const service of [refusing, cut, { url: "http://127.0.0.1:1" } as ScriptedService]) {
    for (const token of tokens) {
      const failure = await failureOf(clientOf(service, { token, retriesMax: 0 }).create(ALOE));
      expect(Bun.inspect(failure, { depth: 10 })).not.toContain("plant_secret");
    }
  }
  expect(Bun.inspect(clientOf(refusing), { depth: 10 })).not.toContain("plant_secret");
});

test("an import that has begun outlasts a restart of the service, and one that has not gives up sooner", async () => {
  // Without the random pauses between tries.
  using _ = spyOn(Math, "random").mockReturnValue(0);
  const away = Array.from({ length: 8 }, () => refusedWith(50301));
  const answer = (created: number) => Response.json({ created, unchanged: 0, failed: 0, errors: [] });
  const plants = Array.from({ length: 101 }, (_, id) => ({ id: BigInt(id), name: "Fern" }));
  using begun = scriptedService(answer(100), ...away, answer(1));
  expect((await clientOf(begun).importPlants(plants)).created).toBe(101);
  using notBegun = scriptedService(...away, answer(100), answer(1));
  expect(await failureOf(clientOf(notBegun).importPlants(plants))).toMatchObject({ error: 50301 });
});
