import { expect, test } from "bun:test";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import { recentEvents } from "./events.ts";
import { importPlants, listPlants, removePlants } from "./plants.ts";

const URL = "http://127.0.0.1:3000";

let client: PlantstoreClient;
withAppPerFile(async (app, holder) => {
  const fetch = (address: string, request: RequestInit) => app.send(address.slice(URL.length), request);
  client = new PlantstoreClient({ url: URL, token: await app.token(holder), fetch });
});

const events = (given: object = {}) => recentEvents.run(client, given);

// That each tool does its work is shown by real agents (test/mcp.test.ts).
test("an import takes 1 to 500 plants", async () => {
  const plants = (count: number) => ({
    plants: Array.from({ length: count }, (_, id) => ({ id: String(id), name: "x" })),
  });
  expect(await importPlants.run(client, plants(500))).toMatchObject({ created: 500, failed: 0 });
  for (const count of [0, 501])
    await expect(importPlants.run(client, plants(count))).rejects.toMatchObject({ error: 40003 });
});

test("many are updated and removed, and nothing is written in a dry run", async () => {
  await client.create({ id: 1, name: "Fern", tag: "shade" });
  const plants = [{ id: "1", tag: null }, { id: "2", name: "Moss" }, { id: "3" }];
  const refused = [{ id: "3", error: 40002, message: expect.any(String) }];
  for (const dry_run of [true, false]) {
    const outcome = { created: 1, updated: 1, unchanged: 0, failed: 1, refused };
    expect(await importPlants.run(client, { plants, existing: "update", dry_run })).toEqual(outcome);
    expect((await client.get(1)).tag).toBe(dry_run ? "shade" : undefined);
  }
  for (const dry_run of [true, false]) {
    const outcome = { removed: 2, missing: 1, failed: 0, refused: [] };
    expect(await removePlants.run(client, { ids: ["1", "2", "7"], dry_run })).toEqual(outcome);
    expect((await listPlants.run(client, {})).plants.length).toBe(dry_run ? 2 : 0);
  }
  await expect(removePlants.run(client, { ids: [] })).rejects.toMatchObject({ error: 40003 });
});

test("a list is searched by the empty tag too, which is not the same as none", async () => {
  for (const plant of [
    { id: 1, name: "Monstera", tag: "" },
    { id: 2, name: "Fern" },
  ])
    await client.create(plant);
  const found = async (query: object) => (await listPlants.run(client, query)).plants.map(({ id }) => id);
  expect([await found({ tag: "" }), await found({})]).toEqual([["1"], ["1", "2"]]);
});

test("an event has the plant's id as text, the plant after it or before its removal, and what was there before", async () => {
  const id = 9007199254740993n;
  await client.create({ id, name: "Fern", tag: "shade" });
  await client.change(id, { tag: null });
  await client.change(id, { name: "Farn", tag: "light" });
  await client.remove(id);
  const { events: all, has_more: more } = await events();
  expect(more).toBe(false);
  expect(all.map(({ type, plant_id, plant, previous }) => [type, plant_id, plant?.name, plant?.tag, previous])).toEqual(
    [
      ["plant.created", String(id), "Fern", "shade", undefined],
      ["plant.changed", String(id), "Fern", null, { tag: "shade" }],
      ["plant.changed", String(id), "Farn", "light", { name: "Fern", tag: null }],
      ["plant.removed", String(id), "Farn", "light", undefined],
    ],
  );
});

test("each event is given once, 20 at a time unless another number is asked for, of the types that are asked for", async () => {
  await client.importPlants(Array.from({ length: 30 }, (_, id) => ({ id, name: "Fern" })));
  await client.remove(3);
  const first = await events({ types: ["plant.created"] });
  const rest = await events({ types: ["plant.created"], limit: 100, cursor: first.next_cursor });
  expect([first.events.length, first.has_more, rest.has_more]).toEqual([20, true, false]);
  const seen = [...first.events, ...rest.events].map(({ plant_id }) => Number(plant_id));
  expect(seen).toEqual(Array.from({ length: 30 }, (_, id) => id));
  expect((await events({ types: ["plant.removed"] })).events).toMatchObject([{ plant_id: "3" }]);
  expect((await events({ cursor: "latest" })).events).toEqual([]);
  for (const given of [{ limit: 0 }, { limit: 101 }, { types: ["plant.eaten"] }])
    await expect(events(given)).rejects.toMatchObject({ error: 40003 });
});

test("a text of any length is shortened, in the plant and in what was before, with what was left out counted", async () => {
  const name = `${"x".repeat(1999)}🌿${"y".repeat(100_000)}`;
  await client.create({ id: 1, name, tag: name });
  await client.change(1, { name: "short", tag: null });
  const [created, changed] = (await events()).events;
  for (const text of [created?.plant?.name, created?.plant?.tag, changed?.previous?.name, changed?.previous?.tag])
    expect(text).toEndWith(" more characters)");
  // JSON writes half of a character as an escape.
  expect(JSON.stringify([created, changed])).not.toContain("\\ud83c");
});
