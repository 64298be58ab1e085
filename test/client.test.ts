import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PlantstoreError } from "#client/error.ts";
import type { NewPlant } from "#client/plant.ts";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import type { Scope } from "#core/token.ts";
import { HARD_PLANTS } from "./support/hard-plants.ts";
import { startService, type TestService } from "./support/service.ts";

let service: TestService;
/** The client of an account that the tests share; each test uses ids of its own. */
let shared: PlantstoreClient;

beforeAll(async () => {
  service = await startService();
  shared = await newClient();
});
afterAll(() => service.stop());

const PLANTS: readonly NewPlant[] = HARD_PLANTS.map(({ id, name, tag }) => ({ id: BigInt(id), name, tag }));

/** A client of an account of its own. */
async function newClient(scopes?: readonly Scope[]): Promise<PlantstoreClient> {
  return new PlantstoreClient({ url: service.url, token: await service.token({ scopes }) });
}

async function refusalOf(call: Promise<unknown>): Promise<PlantstoreError> {
  return call.then(
    () => undefined,
    (error) => error,
  );
}

/** The members of a plant that were sent, taken from a plant that was read back. */
function sent({ id, name, tag }: { id: bigint; name: string; tag?: string }) {
  return { id, name, tag };
}

function byId(a: { id: bigint | number }, b: { id: bigint | number }): number {
  return a.id < b.id ? -1 : 1;
}

const IN_ORDER = [...PLANTS].sort(byId);

test("every hard plant is created, read and listed exactly", async () => {
  const client = await newClient();
  for (const { id, name, tag } of PLANTS) {
    expect(await client.create({ id, name, tag })).toEqual({
      name,
      ...(tag === undefined ? {} : { tag }),
      replayed: false,
    });
    expect(await client.create({ id, name, tag })).toMatchObject({ replayed: true });
    const plant = await client.get(id);
    expect(sent(plant)).toEqual({ id: BigInt(id), name, tag });
    expect(plant.createdAt.getTime()).toBeWithin(Date.now() - 60_000, Date.now() + 60_000);
    expect(plant.etag).toMatch(/^".+"$/);
  }
  const listed = await Array.fromAsync(client.list({ pageSize: 7 }));
  expect(listed.map(sent) as unknown).toEqual(IN_ORDER);
});

test("every hard plant is imported and exported exactly, as plants, NDJSON and CSV, and again from what was exported", async () => {
  const first = await newClient();
  expect(await first.import(PLANTS)).toMatchObject({ created: PLANTS.length, failed: 0 });
  expect(await first.import(PLANTS)).toMatchObject({ unchanged: PLANTS.length, created: 0, failed: 0 });
  const exported = await Array.fromAsync(first.export());
  expect(exported.map(sent) as unknown).toEqual(IN_ORDER);
  for (const format of ["ndjson", "csv"] as const) {
    const second = await newClient();
    expect(await second.import(first.export({ format }), { format })).toMatchObject({
      created: PLANTS.length,
      failed: 0,
    });
    const plants = await Array.fromAsync(second.list());
    expect(plants.map(sent) as unknown).toEqual(IN_ORDER);
  }
});

test("numbers are taken as ids where they are exact", async () => {
  const client = shared;
  await client.create({ id: Number.MAX_SAFE_INTEGER, name: "Aloe" });
  expect((await client.get(Number.MAX_SAFE_INTEGER)).id).toBe(9007199254740991n);
  expect(await refusalOf(client.create({ id: 2 ** 53, name: "Aloe" }))).toBeInstanceOf(RangeError);
  expect(await refusalOf(client.get(0.5))).toBeInstanceOf(RangeError);
});

test("a plant is changed and removed, with a condition on its version or without", async () => {
  const client = shared;
  await client.create({ id: 1, name: "Aloe", tag: "indoor" });
  const before = await client.get(1);
  const renamed = await client.change(1, { name: "Aloe vera" }, { ifMatch: before.etag });
  expect(renamed).toMatchObject({ id: 1n, name: "Aloe vera", tag: "indoor" });
  expect(renamed?.etag).not.toBe(before.etag);
  expect(await refusalOf(client.change(1, { name: "Ficus" }, { ifMatch: before.etag }))).toMatchObject({
    error: 41201,
  });
  expect((await client.change(1, { tag: null }))?.tag).toBeUndefined();
  expect(await refusalOf(client.remove(1, { ifMatch: before.etag }))).toMatchObject({ error: 41201 });
  expect(await client.remove(1)).toBeUndefined();
  expect(await refusalOf(client.get(1))).toMatchObject({ error: 40403 });
  expect(await refusalOf(client.remove(1))).toMatchObject({ error: 40403, inDoubt: false });
});

test("a list is filtered, searched and ordered as asked", async () => {
  const client = await newClient();
  await client.import([
    { id: 3, name: "Boston fern", tag: "indoor" },
    { id: 1, name: "Tree FERN" },
    { id: 2, name: "Aloe", tag: "indoor" },
    { id: 4, name: "100 % fern", tag: "" },
  ]);
  const ids = async (...query: Parameters<PlantstoreClient["list"]>) =>
    (await Array.fromAsync(client.list(...query))).map(({ id }) => Number(id));
  expect(await ids({ tag: "indoor" })).toEqual([2, 3]);
  expect(await ids({ tag: "" })).toEqual([4]);
  expect(await ids({ q: "Fern" })).toEqual([1, 3, 4]);
  expect(await ids({ q: "%" })).toEqual([4]);
  expect(await ids({ order: "-created_at", pageSize: 1 })).toHaveLength(4);
  const page = await client.page({ limit: 3 });
  expect(page.plants.map(({ id }) => id)).toEqual([1n, 2n, 3n]);
  const rest = await client.page({ limit: 3, cursor: page.nextCursor! });
  expect([rest.plants.map(({ id }) => id), rest.nextCursor]).toEqual([[4n], null]);
});

describe("a refusal", () => {
  test("carries the number, status and request id, and what the service says", async () => {
    await shared.create({ id: 2, name: "Aloe" });
    const taken = await refusalOf(shared.create({ id: 2, name: "Ficus" }));
    expect(taken).toMatchObject({ name: "PlantstoreError", error: 40901, status: 409, inDoubt: false });
    expect(taken.requestId).toMatch(/^req_/);
    expect(taken.message).toContain("The id 2 is taken");
  });

  test("is the same over every operation for a wrong token or scope", async () => {
    const stranger = new PlantstoreClient({ url: service.url, token: "plant_wrong" });
    const reader = await newClient(["plants:read"]);
    const operations = [
      (client: PlantstoreClient) => client.create({ id: 1, name: "Aloe" }),
      (client: PlantstoreClient) => client.change(1, { name: "Aloe" }),
      (client: PlantstoreClient) => client.remove(1),
      (client: PlantstoreClient) => client.import([]),
    ];
    for (const operation of operations) {
      expect(await refusalOf(operation(stranger))).toMatchObject({ error: 40102, status: 401 });
      expect(await refusalOf(operation(reader))).toMatchObject({ error: 40301, status: 403 });
    }
    expect(await refusalOf(Array.fromAsync(stranger.export()))).toMatchObject({ error: 40102 });
    expect(await refusalOf(Array.fromAsync(stranger.list()))).toMatchObject({ error: 40102 });
  });

  test("of what the service does not take is the service's own", async () => {
    const client = shared;
    expect(await refusalOf(client.create({ id: 2n ** 63n, name: "Aloe" }))).toMatchObject({ error: 40003 });
    expect(await refusalOf(client.get(2n ** 63n))).toMatchObject({ error: 40004 });
    expect(await refusalOf(client.create({ id: 1, name: "\ud800" }))).toMatchObject({ error: 40003 });
    expect(await refusalOf(client.create({ id: 1 } as NewPlant))).toMatchObject({ error: 40002 });
    expect(await refusalOf(client.page({ limit: 0 }))).toMatchObject({ error: 40004 });
    expect(await refusalOf(client.import("name\nAloe\n", { format: "csv" }))).toMatchObject({ error: 40002 });
  });
});

test("refused records of a large import are all found, on their lines, and can be mended and sent again", async () => {
  const client = await newClient();
  const rows = Array.from({ length: 21_000 }, (_, at) =>
    at % 7 === 0 ? `bad${at},"two\nlines"` : `${at},"two\nlines"`,
  );
  const summary = await client.import(`id,name\n${rows.join("\n")}\n`, { format: "csv" });
  expect(summary).toMatchObject({ created: 18_000, unchanged: 0, failed: 3000, lines: 42_001 });
  const expected = rows.flatMap((row, at) => (row.startsWith("bad") ? [[2 * at + 2, row]] : []));
  expect(summary.refused.map(({ line, record }) => [line, new TextDecoder().decode(record)])).toEqual(expected);
  const mended = (
    await new Response(new Blob(summary.refused.map(({ record }) => new Blob([record.slice(), "\n"])))).text()
  ).replaceAll("bad", "");
  expect(await client.import(`id,name\n${mended}`, { format: "csv" })).toMatchObject({ created: 3000, failed: 0 });
});

test("a token function's fresh token is used when the first one is refused", async () => {
  const active = await service.token();
  const client = new PlantstoreClient({ url: service.url, token: (refused) => (refused ? active : "plant_revoked") });
  expect(await client.create({ id: 1, name: "Aloe" })).toEqual({ name: "Aloe", replayed: false });
});
