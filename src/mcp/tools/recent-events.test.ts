import { expect, test } from "bun:test";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import { recentEvents } from "./recent-events.ts";

const URL = "http://127.0.0.1:3000";

let client: PlantstoreClient;
let requests: string[];
withAppPerFile(async (app, holder) => {
  requests = [];
  const fetch = (address: string, request: RequestInit) => {
    requests.push(address.slice(URL.length));
    return app.send(address.slice(URL.length), request);
  };
  client = new PlantstoreClient({ url: URL, token: await app.token(holder), fetch });
});

/** Calls the tool as an agent does, its answer checked. */
async function events(given: object = {}) {
  return recentEvents.output.strict().parse(await recentEvents.call(client, recentEvents.input.parse(given)));
}

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

test("each event is given once, in its order, over pages of any size, and those of other types are left out", async () => {
  for (let id = 1; id <= 5; id++) await client.create({ id, name: "Fern" });
  await client.remove(3);
  const seen: string[] = [];
  let [cursor, more]: [string | undefined, boolean] = [undefined, true];
  while (more) {
    const page = await events({ limit: 2, cursor, types: ["plant.created"] });
    seen.push(...page.events.map(({ plant_id }) => plant_id));
    [cursor, more] = [page.next_cursor, page.has_more];
  }
  expect(seen).toEqual(["1", "2", "3", "4", "5"]);
  expect((await events({ types: ["plant.removed"] })).events).toMatchObject([{ plant_id: "3" }]);
});

test("`latest` gives nothing of before, and where to ask for what happens next", async () => {
  await client.create({ id: 1, name: "before" });
  const { events: none, next_cursor: cursor } = await events({ cursor: "latest" });
  expect(none).toEqual([]);
  await client.create({ id: 2, name: "after" });
  expect((await events({ cursor })).events).toMatchObject([{ plant_id: "2" }]);
});

test("20 events are given unless another number is asked for, 1 to 100", async () => {
  await client.import(Array.from({ length: 30 }, (_, id) => ({ id, name: "Fern" })));
  expect((await events()).events).toHaveLength(20);
  expect((await events({ limit: 100 })).events).toHaveLength(30);
  for (const limit of [0, 101, 1.5, "5"]) expect(recentEvents.input.safeParse({ limit }).success).toBe(false);
  expect(recentEvents.input.safeParse({ types: ["plant.eaten"] }).success).toBe(false);
});

test("a text of any length is shortened, in the plant and in what was before, with what was left out counted", async () => {
  const name = `${"x".repeat(1999)}🌿${"y".repeat(100_000)}`;
  await client.create({ id: 1, name, tag: name });
  await client.change(1, { name: "short", tag: null });
  const { events: all } = await events();
  const left = " more characters)";
  expect([all[0]?.plant?.name, all[0]?.plant?.tag]).toEqual([
    expect.stringContaining(left),
    expect.stringContaining(left),
  ]);
  expect([all[1]?.previous?.name, all[1]?.previous?.tag]).toEqual([
    expect.stringContaining(left),
    expect.stringContaining(left),
  ]);
  expect(JSON.stringify(all).length).toBeLessThan(20_000);
  // JSON writes half of a character as an escape.
  expect(JSON.stringify(all)).not.toContain("\\ud83c");
});

test("an answer that would be too long ends earlier, with a cursor right after its last event", async () => {
  for (let id = 1; id <= 15; id++) await client.create({ id, name: "x".repeat(3000) });
  requests = [];
  const first = await events({ limit: 100 });
  expect(requests).toHaveLength(2);
  expect([first.has_more, first.events.length > 3, first.events.length < 15]).toEqual([true, true, true]);
  const { events: rest } = await events({ limit: 100, cursor: first.next_cursor });
  expect(rest[0]?.plant_id).toBe(String(first.events.length + 1));
});

test("a cursor that is none is the service's refusal", async () => {
  await expect(events({ cursor: "yesterday" })).rejects.toMatchObject({ error: 40004 });
});
