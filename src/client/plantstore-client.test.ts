import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import { scriptedService } from "#test/support/scripted-service.ts";
import { PlantstoreClient } from "./plantstore-client.ts";

const TIME = "2026-11-21T08:00:00.000Z";

const URL = "http://127.0.0.1:3000";

let client: PlantstoreClient;
withAppPerFile(async (app, holder) => {
  const fetch = (address: string, request: RequestInit) => app.send(address.slice(URL.length), request);
  client = new PlantstoreClient({ url: URL, token: await app.token(holder), fetch });
});

const TEXT = fc.string({
  unit: fc.constantFrom('"', "\\", "\n", "\r", "\t", "\u001b", "\u2028", "é", "🌿", ",", "=", "%", "&", "a"),
});
const PLANT = fc.record(
  { id: fc.bigInt(INT64_MIN, INT64_MAX), name: TEXT, tag: fc.option(TEXT, { nil: undefined }) },
  { requiredKeys: ["id", "name"] },
);
const PLANTS = fc.uniqueArray(PLANT, { selector: ({ id }) => id, minLength: 1, maxLength: 8 });

/** The members of a plant as a caller gives them: without `tag` if there is none. */
function given<Plant extends { id: bigint; name: string; tag?: string }>({ id, name, tag }: Plant) {
  return tag === undefined ? { id, name } : { id, name, tag };
}

describe("any plant", () => {
  test("is read, found by its tag and listed exactly as it was created, and is gone after its removal", async () => {
    await fc.assert(
      fc.asyncProperty(PLANT, async (plant) => {
        expect((await client.create(plant)).replayed).toBe(false);
        expect((await client.create(plant)).replayed).toBe(true);
        expect(given(await client.get(plant.id))).toEqual(given(plant));
        const { tag } = plant;
        expect((await Array.fromAsync(client.list({ tag }))).map(given)).toEqual([given(plant)]);
        expect((await Array.fromAsync(client.export())).map(given)).toEqual([given(plant)]);
        await client.remove(plant.id);
        await expect(client.get(plant.id)).rejects.toMatchObject({ code: "plant-unknown" });
      }),
      { numRuns: 6 },
    );
  });
});

describe("an import", () => {
  test("of any plants is the same by NDJSON and CSV, and an export of it is an import that changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(PLANTS, async (plants) => {
        expect(await client.importPlants(plants)).toMatchObject({ created: plants.length, unchanged: 0, failed: 0 });
        for (const format of ["csv", "ndjson"] as const) {
          const file = await new Response(client.export({ format }).readable()).blob();
          expect(await client.importPlants(file, { format })).toMatchObject({
            created: 0,
            unchanged: plants.length,
            failed: 0,
          });
        }
        for (const { id } of plants) await client.remove(id);
      }),
      { numRuns: 6 },
    );
  });
});

test("an id that a double may have rounded is never sent", async () => {
  for (const id of [2 ** 53, -(2 ** 53), 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    const calls = [
      () => client.create({ id, name: "Aloe" }),
      () => client.get(id),
      () => client.change(id, { name: "Aloe" }),
      () => client.remove(id),
      () => client.importPlants([{ id, name: "Aloe" }]),
    ];
    for (const call of calls) await expect(call()).rejects.toBeInstanceOf(RangeError);
  }
  expect(await Array.fromAsync(client.list())).toEqual([]);
});

test("JSON of a plant and of an event has their ids as text, with every digit", async () => {
  const plant = `{"id":9007199254740993,"name":"Fern","created_at":"${TIME}","updated_at":"${TIME}"}`;
  const event = `{"id":"evt_1","type":"plant.removed","timestamp":"${TIME}","version":"1.0.0","data":{"plant_id":"9007199254740993","plant":${plant}}}`;
  using service = scriptedService(
    new Response(plant, { headers: { ETag: '"1.1"' } }),
    new Response(`{"data":[${event}],"next_cursor":"c","has_more":false}`),
  );
  const client = new PlantstoreClient({ url: service.url, token: "plant_x" });
  const members = { id: "9007199254740993", name: "Fern", createdAt: TIME, updatedAt: TIME };
  expect(JSON.parse(JSON.stringify(await client.get(9007199254740993n)))).toEqual({ ...members, etag: '"1.1"' });
  const { events } = await client.eventPage();
  expect(JSON.parse(JSON.stringify(events))).toMatchObject([{ plantId: "9007199254740993", plant: members }]);
});
