import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RefusedRecord } from "#client/bulk.ts";
import { PlantstoreError, PlantstoreUnreachable } from "#client/error.ts";
import type { EventsAvailable, PlantEvent } from "#client/event.ts";
import type { ImportSummary } from "#client/import.ts";
import type { NewPlant, StoredPlant } from "#client/plant.ts";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { verifyWebhook } from "#client/webhook-signature.ts";
import { RELEASE } from "#server/process/release.ts";
import { expiredCertificate, newAuthority } from "./support/certificates.ts";
import { freePort } from "./support/free-port.ts";
import { HARD_PLANTS } from "./support/hard-plants.ts";
import { missingPython, PYTHON_CLIENT, python } from "./support/python-client.ts";
import { type ScriptedService, scriptedService } from "./support/scripted-service.ts";
import { ROOT, startService, temporaryFolder } from "./support/service.ts";
import { describeUnless } from "./support/skipped.ts";

/** Each case runs with the clients in TypeScript and in Python: the call, the prepared answers, the requests, the outcome. */
interface Case {
  readonly title: string;
  /** By default the address of the service that gives the answers, and the token plant_x; null is none. */
  readonly url?: string | null;
  readonly token?: string | null;
  readonly call: Readonly<Record<string, Given>>;
  readonly answers?: readonly {
    readonly status?: number;
    readonly headers?: Record<string, string>;
    readonly body?: string;
    /** Zeros in gzip, without an end. */
    readonly isEndless?: boolean;
  }[];
  readonly requests?: readonly { readonly method?: string; readonly headers?: Record<string, string> }[];
  readonly outcome: unknown;
}
// biome-ignore lint/suspicious/noExplicitAny: the arguments of a call, as the file of cases has them
type Given = any;

const CASES: readonly Case[] = JSON.parse(readFileSync(join(ROOT, "clients/cases.json"), "utf8"));
const EVENT = `{"id":"evt_3","type":"plant.removed","timestamp":"2026-03-10T12:00:00.000Z","version":"1.0.0","data":{"plant_id":"9007199254740993"}}`;

function serviceOf({ answers = [] }: Case): ScriptedService {
  return scriptedService(
    ...answers.map(({ status = 200, headers, body = null, isEndless }) => {
      if (!isEndless) return new Response(body, { status, headers });
      return () => new Response(zeros(), { status, headers: { ...headers, "Content-Encoding": "gzip" } });
    }),
  );
}

function zeros(): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(1024 * 1024);
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  return endless.pipeThrough(new CompressionStream("gzip"));
}

/** The options with which the client of a case is made. */
function optionsOf({ url, token = "plant_x" }: Case, service: ScriptedService) {
  return { url: url === undefined ? service.url : url, token };
}

function expectRequests({ requests = [] }: Case, service: ScriptedService): void {
  const sent = service.requests.map((each) => ({ ...each, headers: Object.fromEntries(each.headers) }));
  expect(sent).toMatchObject([...requests]);
  for (const { headers } of service.requests) expect(headers.get("authorization")).toBe("Bearer plant_x");
}

/** The arguments of a call, with the request that is to be verified. */
function prepared({ call }: Case): Case["call"] {
  const { verifyWebhook: given } = call;
  if (!given) return call;
  const key = Buffer.from(given.signedWith.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`evt_3.${given.at}.${EVENT}`).digest("base64");
  const headers = {
    "webhook-id": "evt_3",
    "webhook-timestamp": String(given.at),
    "webhook-signature": `v1,AAAA v1,${signature}`,
  };
  return { verifyWebhook: { ...given, body: EVENT, headers } };
}

describe("the client in TypeScript:", () => {
  for (const each of CASES)
    test(each.title, async () => {
      // A command of another file in this process may have left one.
      delete process.env.PLANTSTORE_TOKEN;
      using service = serviceOf(each);
      const { url, token } = optionsOf(each, service);
      const open = () => new PlantstoreClient({ url: url ?? undefined, token: token ?? undefined });
      expect(await outcomeOf(open, prepared(each))).toEqual(each.outcome);
      expectRequests(each, service);
    });
});

describeUnless(missingPython(), "the client in Python", () => {
  for (const mode of ["sync", "async"])
    test(`${mode}: runs all cases`, async () => {
      using stack = new DisposableStack();
      const own = CASES.map((each) => stack.use(serviceOf(each)));
      const cases = CASES.map((each, index) => ({ ...optionsOf(each, own[index]!), call: prepared(each) }));
      const child = Bun.spawn({
        ...python(join(PYTHON_CLIENT, "tests/run_cases.py"), mode),
        stdin: "pipe",
        stdout: "pipe",
        stderr: "inherit",
      });
      child.stdin.write(JSON.stringify(cases));
      child.stdin.end();
      const out = await new Response(child.stdout).text();
      expect(await child.exited).toBe(0);
      const found: unknown[] = JSON.parse(out);
      expect(CASES.map(({ title, outcome }, index) => [title, outcome, found[index]])).toEqual(
        CASES.map(({ title, outcome }) => [title, outcome, outcome]),
      );
      CASES.forEach((each, index) => void expectRequests(each, own[index]!));
    });

  test("an import that has begun outlasts a restart of the service, and one of dicts is refused before it begins", async () => {
    const away = Array.from({ length: 8 }, () => new Response("", { status: 502 }));
    const answer = (created: number) => Response.json({ created, unchanged: 0, failed: 0, errors: [] });
    using service = scriptedService(answer(100), ...away, answer(1));
    // Without the random pauses between tries.
    const program = `import random, sys
from plantstore import NewPlant, Plantstore
random.random = lambda: 0.0
store = Plantstore(sys.argv[1], "plant_x")
try:
    store.import_plants([{"id": 300, "name": "Fern"}])
except TypeError as error:
    print(error)
print(store.import_plants(NewPlant(id, "Fern") for id in range(101)).created)`;
    const child = Bun.spawn({ ...python("-c", program, service.url), stdout: "pipe", stderr: "inherit" });
    expect(await new Response(child.stdout).text()).toBe(
      "A plant is a NewPlant or a PlantUpdate, and is a dict\n101\n",
    );
  });

  test("each call waits for a service that restarts, and a foreign or expired certificate fails at once", async () => {
    const port = freePort();
    const authority = await newAuthority();
    const trusted = join(temporaryFolder(), "authority.pem");
    writeFileSync(trusted, authority.cert);
    const tls = [await (await newAuthority()).issue("localhost"), await expiredCertificate(authority)];
    using stack = new DisposableStack();
    const refused = tls.map((each) => stack.use(Bun.serve({ port: 0, tls: each, fetch: () => new Response() })));
    const program = `import sys
from concurrent.futures import ThreadPoolExecutor
from plantstore import NewPlant, Plantstore, PlantstoreError, PlantstoreUnreachable
for url in sys.argv[2:]:
    try:
        Plantstore(url, "plant_x").create(1, "Fern")
    except PlantstoreUnreachable as error:
        print(error.reason, error.sent, "expired" in str(error), flush=True)
calls = [
    lambda store: store.create(1, "Fern"),
    lambda store: store.get(1),
    lambda store: store.put(1, "Fern"),
    lambda store: store.change(1, name="Fern"),
    lambda store: store.remove(1),
    lambda store: store.token(),
    lambda store: list(store.list()),
    lambda store: list(store.export()),
    lambda store: list(store.history(1)),
    lambda store: store.import_plants([NewPlant(1, "Fern")]),
    lambda store: store.remove_many([1]),
    lambda store: store.webhooks.list(),
    lambda store: store.webhooks.remove("we_1"),
]
tries = [0] * len(calls)
def outcome(at):
    def tell(exchange):
        tries[at] += 1
    store = Plantstore(sys.argv[1], "plant_x", retries_max=1, on_exchange=tell)
    try:
        return calls[at](store)
    except PlantstoreError as error:
        return error.error
with ThreadPoolExecutor(len(calls)) as pool:
    print(set(pool.map(outcome, range(len(calls)))), min(tries) > 3)`;
    const urls = [`http://127.0.0.1:${port}`, ...refused.map((each) => `https://localhost:${each.port}`)];
    const { cmd, env } = python("-c", program, ...urls);
    const child = Bun.spawn({ cmd, env: { ...env, SSL_CERT_FILE: trusted }, stdout: "pipe", stderr: "inherit" });
    const printed = new Response(child.stdout).text();
    await Bun.sleep(3500);
    const absent = () => Response.json({ error: 40401, message: "x" }, { status: 404 });
    using server = Bun.serve({ port, hostname: "127.0.0.1", fetch: absent });
    expect((await printed).split("\n")).toEqual(["address False False", "address False True", "{40401} True", ""]);
    expect(server.port).toBe(port);
  });

  test("writes and reads every hard plant exactly with a running service, and what its README shows runs as it stands", async () => {
    const service = await startService();
    try {
      const plants = join(temporaryFolder(), "plants.json");
      writeFileSync(plants, JSON.stringify(HARD_PLANTS));
      const [, example = ""] =
        /```python\n([\s\S]*?)```/.exec(readFileSync(join(PYTHON_CLIENT, "README.md"), "utf8")) ?? [];
      const { cmd, env } = python(join(PYTHON_CLIENT, "tests/hard_plants.py"), plants);
      const own = { ...env, PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await service.token() };
      const child = Bun.spawn({ cmd, env: own, stdout: "pipe", stderr: "inherit" });
      expect(await new Response(child.stdout).text()).toBe("exact\n");
      writeFileSync(join(dirname(plants), "plants.csv"), "id,name\n101,Aloe\n102,Fern\n");
      const shown = Bun.spawnSync({
        cmd: python("-c", example).cmd,
        env: own,
        cwd: dirname(plants),
        stderr: "inherit",
      });
      expect(shown.stdout.toString()).toBe(
        "taken: The id 9007199254740993 is taken by a plant with another name or tag, which is unchanged\n2 created\n2 on disk\n",
      );
    } finally {
      await service.stop();
    }
  });
});

test("the package in Python has the version of the service", () => {
  const file = readFileSync(join(PYTHON_CLIENT, "src/plantstore/_version.py"), "utf8");
  expect(file).toBe(`VERSION = "${RELEASE}"\n`);
});

/** The result of a call in the words of the cases: ids as text, and no times. */
async function outcomeOf(open: () => PlantstoreClient, call: Case["call"]): Promise<unknown> {
  try {
    return await resultOf(open(), call);
  } catch (error) {
    if (error instanceof TypeError) return { misused: error.message };
    if (error instanceof PlantstoreUnreachable) return { unreachable: error.reason };
    if (!(error instanceof PlantstoreError)) return { unverified: true };
    return { refused: error.error, code: error.code, message: error.message, inDoubt: error.inDoubt };
  }
}

async function resultOf(client: PlantstoreClient, call: Case["call"]): Promise<unknown> {
  const [[name, given] = ["", {}]] = Object.entries(call);
  const { id, ifMatch, dryRun } = given;
  switch (name) {
    case "create":
      return client.create(plantOf(given));
    case "get":
      return plain(await client.get(BigInt(id)));
    case "list":
      return (await Array.fromAsync(client.list({ ...given, ids: given.ids?.map(BigInt) }))).map(plain);
    case "change":
      return plain(await client.change(BigInt(id), given.change, { ifMatch }));
    case "put": {
      const { ifNoneMatch } = given;
      const { plant, ...more } = await client.put(plantOf(given), { ifMatch, ifNoneMatch });
      return { plant: plain(plant), ...more };
    }
    case "token": {
      const { name, scopes, store } = await client.token();
      return { name, scopes, store: { id: store.id, test: store.test } };
    }
    case "remove":
      return (await client.remove(BigInt(id), { ifMatch, missingOk: given.missingOk })) ?? null;
    case "removeMany": {
      const plants = given.plants.map((each: Given) => (each.id ? { ...each, id: BigInt(each.id) } : BigInt(each)));
      const { removed, missing, failed, lines, refused } = await client.removeMany(plants, { dryRun });
      return { removed, missing, failed, lines, refused: withoutRecords(refused) };
    }
    case "updatePlants":
      return imported(await client.importPlants(given.plants.map(plantOf), { existing: "update", dryRun }));
    case "importPlants":
      return imported(await client.importPlants(given.map(plantOf)));
    case "importFile":
      return imported(await client.importPlants(given.text, { format: given.format }));
    case "export": {
      const stream = client.export();
      return { plants: (await Array.fromAsync(stream)).map(plain), cursor: stream.cursor };
    }
    case "events":
      return Array.fromAsync(client.events(given));
    case "history":
      return (await Array.fromAsync(client.history(BigInt(id), given.query))).map(plainEvent);
    case "eventPage": {
      const page = await client.eventPage(given);
      return { ...page, events: page.events.map(plainEvent) };
    }
    default:
      return plainEvent(await verifyWebhook(given.body, given.headers, given.secrets, { now: given.now * 1000 }));
  }
}

function plantOf({ id, ...texts }: { readonly id: string; readonly name: string; readonly tag?: string }): NewPlant {
  return { id: BigInt(id), ...texts };
}

function plain(plant: StoredPlant | undefined) {
  if (!plant) return null;
  const { createdAt, updatedAt, id, ...texts } = plant;
  return { id: String(id), ...texts };
}

function plainEvent(event: PlantEvent | EventsAvailable) {
  if (event.type === "events.available") return event;
  const { id, type, plantId, previous = {} } = event;
  return { id, type, plantId: String(plantId), previous };
}

function imported(summary: ImportSummary) {
  const { created, updated, unchanged, failed, lines, refused } = summary;
  return { created, updated, unchanged, failed, lines, refused: withoutRecords(refused) };
}

function withoutRecords(refused: readonly RefusedRecord[]) {
  return refused.map(({ record, ...each }) => each);
}
