import { describe, expect, test } from "bun:test";
import type { z } from "zod";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { Tool } from "../tool.ts";
import { addPlant } from "./add-plant.ts";
import { editPlant } from "./edit-plant.ts";
import { getPlant } from "./get-plant.ts";
import { importPlants } from "./import-plants.ts";
import { listPlants } from "./list-plants.ts";
import { recentEvents } from "./recent-events.ts";
import { removePlant } from "./remove-plant.ts";

const URL = "http://127.0.0.1:3000";
const BIG = "9223372036854775807";
const TOOLS = [addPlant, editPlant, getPlant, importPlants, listPlants, recentEvents, removePlant];

let client: PlantstoreClient;
withAppPerFile(async (app, holder) => {
  const fetch = (address: string, request: RequestInit) => app.send(address.slice(URL.length), request);
  client = new PlantstoreClient({ url: URL, token: await app.token(holder), fetch });
});

/** Calls a tool as an agent does: with what its input schema makes of the arguments, and its answer checked. */
async function call<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
  given: z.input<Input>,
): Promise<z.output<Output>> {
  return tool.output.parse(await tool.call(client, tool.input.parse(given)));
}

describe("an agent", () => {
  test("adds, reads, changes and removes a plant, with every digit of its id", async () => {
    const plant = { id: BIG, name: "Fern", tag: "" };
    expect(await call(addPlant, plant)).toEqual({ id: BIG, outcome: "created" });
    expect(await call(addPlant, plant)).toEqual({ id: BIG, outcome: "was_there_already" });
    expect(await call(getPlant, { id: BIG })).toMatchObject(plant);
    const changed = await call(editPlant, { id: BIG, tag: null });
    expect(changed.plant).toMatchObject({ id: BIG, name: "Fern", tag: null });
    expect(await call(removePlant, { id: BIG })).toEqual({ id: BIG, removed: true });
    await expect(call(getPlant, { id: BIG })).rejects.toMatchObject({ error: 40403 });
  });

  test("is told of another plant with the same id", async () => {
    await call(addPlant, { id: "7", name: "Fern" });
    await expect(call(addPlant, { id: "7", name: "Moss" })).rejects.toMatchObject({ error: 40901 });
  });

  test.each(["", "07", "1.5", "x", "9223372036854775808"])("cannot use the id %j", async (id) => {
    expect(getPlant.input.safeParse({ id }).success).toBe(false);
  });

  test("adds many, and is told which were refused", async () => {
    await call(addPlant, { id: "1", name: "Fern" });
    const plants = [
      { id: "1", name: "Moss" },
      { id: "2", name: "Moss" },
      { id: "3", name: "Moss", tag: "green" },
    ];
    const answer = await call(importPlants, { plants });
    expect(answer).toMatchObject({ created: 2, unchanged: 0, failed: 1, refused: [{ id: "1", error: 40901 }] });
    expect(importPlants.input.safeParse({ plants: [] }).success).toBe(false);
    const many = Array.from({ length: 501 }, (_, id) => ({ id: String(id), name: "x" }));
    expect(importPlants.input.safeParse({ plants: many }).success).toBe(false);
  });

  test("lists page by page, in pages that fit, each plant once", async () => {
    const plants = Array.from({ length: 60 }, (_, id) => ({ id: String(id), name: "Fern ".repeat(200) }));
    await call(importPlants, { plants });
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await call(listPlants, { limit: 100, cursor });
      expect(JSON.stringify(page).length).toBeLessThan(25_000);
      ids.push(...page.plants.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(ids).toEqual(plants.map(({ id }) => id));
  });

  test("searches by a part of the name, and by the empty tag", async () => {
    await call(importPlants, {
      plants: [
        { id: "1", name: "Monstera", tag: "" },
        { id: "2", name: "Fern" },
      ],
    });
    const found = async (query: object) => (await call(listPlants, query)).plants.map(({ id }) => id);
    expect(await found({ q: "STER" })).toEqual(["1"]);
    expect(await found({ tag: "" })).toEqual(["1"]);
    expect(await found({})).toEqual(["1", "2"]);
  });

  test("reads what happened, in order and once, also where the texts are long", async () => {
    for (let id = 0; id < 12; id++) await call(addPlant, { id: String(id), name: "x".repeat(5000) });
    await call(editPlant, { id: "0", name: "Fern" });
    const types: string[] = [];
    let cursor: string | undefined;
    let more = true;
    while (more) {
      const page = await call(recentEvents, { limit: 100, cursor });
      expect(JSON.stringify(page).length).toBeLessThan(25_000);
      for (const { type, plant_id: id } of page.events) types.push(`${type} ${id}`);
      [cursor, more] = [page.next_cursor, page.has_more];
    }
    const created = Array.from({ length: 12 }, (_, id) => `plant.created ${id}`);
    expect(types).toEqual([...created, "plant.changed 0"]);
  });
});

describe("each tool", () => {
  test("has a name of its own, and says what it does and whether it destroys", () => {
    expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length);
    for (const { name, title, description, annotations, scope } of TOOLS) {
      expect(name).toMatch(/^[a-z_]+$/);
      expect(title).not.toBe("");
      expect(description).toMatch(/\.$/);
      expect(annotations.readOnlyHint).toBe(scope === "plants:read");
      if (!annotations.readOnlyHint) expect(annotations.destructiveHint).toBeBoolean();
    }
  });
});
