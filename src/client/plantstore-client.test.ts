import { expect, test } from "bun:test";
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
