import { expect, test } from "bun:test";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { newPlants } from "#test/support/plant-lists.ts";
import { newAccount } from "#test/support/test-records.ts";
import { openStorage } from "../open.ts";
import { eventIndexJob } from "./event-indexes.ts";
import { Pool } from "./pool.ts";

const INDEXES = `SELECT count(*)::int AS count FROM pg_index
  WHERE indisvalid AND indexrelid IN (to_regclass('plant_events_plant'), to_regclass('plant_events_removals'))`;

test("a store with many events gets the indexes of histories after the migration, also where one was left half made", async () => {
  const url = await newPostgresDatabase();
  const storage = await openStorage(url);
  const account = await newAccount(storage);
  await storage.records.plants.createMany(account, newPlants(3));
  const pool = new Pool(url, { sizeMax: 1 });
  const [there] = await pool.rows<{ count: number }>(INDEXES, []);
  expect(there).toEqual({ count: 2 });
  await pool.query("DROP INDEX plant_events_plant");
  await pool.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'plant_events_removals'::regclass");
  await eventIndexJob(url, pool).run({ now: Date.now(), signal: new AbortController().signal });
  const [made] = await pool.rows<{ count: number }>(INDEXES, []);
  expect(made).toEqual({ count: 2 });
  await pool.end();
  await storage.records.close();
});
