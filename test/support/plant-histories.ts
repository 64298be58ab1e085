import type { Actor } from "#core/caller.ts";
import { PROGRAM } from "#core/event-actor.ts";
import { INT64_MAX } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Storage } from "#storage/storage.ts";
import { always, newPlant } from "./plant-lists.ts";

const ADA: Actor<"event"> = { kind: "person", id: "7Xb2", name: "Ada Lovelace" };
const SHOP: Actor<"event"> = { kind: "token", id: "tok_1", name: "Shop" };

/** Plants 1 to 3, of which a person created the first and changed the second, and a token removed the third. */
export async function addHistories({ records: { plants } }: Storage, account: AccountNumber): Promise<void> {
  await plants.create(account, newPlant(1), undefined, ADA);
  for (const id of [2, 3]) await plants.create(account, newPlant(id));
  await plants.change(account, 2n, { tag: "indoor" }, always, undefined, ADA);
  await plants.remove(account, 3n, always, undefined, SHOP);
}

/** Who did the events of each of these plants, newest first. */
export const DOERS = [ADA, ADA, PROGRAM, SHOP, PROGRAM];

/** All that pages show of these: the events with who did each, and which plants are removed. */
export async function historiesOf({ reads: { events } }: Storage, account: AccountNumber) {
  const newest = { before: INT64_MAX, limit: 10 } as const;
  const ofPlants = await Promise.all(
    [1n, 2n, 3n].map((plant) => events.history(account, { ...newest, plant, types: undefined })),
  );
  const all = ofPlants.flatMap((page) => page.events);
  const removed = await events.removed(account, newest);
  return { all, doers: await events.doers(account, all), removed: removed.events.map(({ plant }) => plant.id) };
}
