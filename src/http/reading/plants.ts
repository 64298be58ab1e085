import {
  type NextId,
  PLANT_CREATORS_MAX,
  type PlantCreators,
  PlantCreatorsQuery,
  type PlantMatches,
  PlantMatchesQuery,
  type PlantTags,
  type RemovedPlantPage,
  RemovedPlantsQuery,
} from "#contract/dashboard/plants.ts";
import { decodeHistoryCursor, encodeHistoryCursor } from "#contract/event-cursor.ts";
import { parsePlantId, typedPlantId } from "#contract/plant-id.ts";
import { timestamp } from "#contract/timestamp.ts";
import { eventId } from "#core/event.ts";
import { INT64_MAX } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import type { PlantReads } from "#core/reads.ts";
import type { PlantChoice } from "#core/records.ts";
import { countMatches, type InTurns, nonEmptyEvents } from "./in-turns.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";

/** The number of plants that a search finds. */
export async function* matchesPage(
  { reads: { plants } }: PageParts,
  { account, search }: PageRequest,
): InTurns<PlantMatches> {
  const { q, tag } = readQuery(search, PlantMatchesQuery);
  const choice = { q, tag };
  const { count, atLeast } = yield* countMatches(plants, account, choice);
  const byId = (await isFoundByIdAlone(plants, account, choice)) ? 1 : 0;
  return { count: count + byId, at_least: atLeast };
}

export async function tagsPage({ reads }: PageParts, { account }: PageRequest) {
  return (await reads.plants.tagCounts(account)) satisfies PlantTags;
}

export async function nextIdPage({ reads }: PageParts, { account }: PageRequest) {
  const greatest = (await reads.plants.greatestId(account)) ?? 0n;
  const next = greatest < 0n ? 1n : greatest + 1n;
  if (next <= INT64_MAX) return { id: String(next) } satisfies NextId;
  return { id: await freeIdBelow(reads.plants, account) } satisfies NextId;
}

/** Who created the plants of a page of the list, which does not tell that itself. */
export async function creatorsPage({ reads }: PageParts, { account, search }: PageRequest) {
  const { ids } = readQuery(search, PlantCreatorsQuery);
  const asked = ids.split(",", PLANT_CREATORS_MAX).flatMap((id) => parsePlantId(id) ?? []);
  const creators = await reads.events.creators(account, asked);
  const groups = Map.groupBy(asked, (id) => JSON.stringify(creators.get(id) ?? null));
  return {
    creators: [...groups].map(([by, ids]) => ({ by: JSON.parse(by), ids: ids.map(String) })),
  } satisfies PlantCreators;
}

/** How many ids are tried, starting above the number of plants, since most stores count from 1. */
const LOOKED_AT = 100n;

async function freeIdBelow(plants: PlantReads, account: AccountNumber): Promise<string | null> {
  const first = BigInt(await plants.count(account)) + 1n;
  for (let id = first; id < first + LOOKED_AT; id++) if (!(await plants.find(account, id))) return String(id);
  return null;
}

/** Programs read the removals in the feed. */
export async function* removedPage(
  { reads: { events } }: PageParts,
  { account, search }: PageRequest,
): InTurns<RemovedPlantPage> {
  const { cursor, limit } = readQuery(search, RemovedPlantsQuery);
  const start = cursor === undefined ? INT64_MAX : decodeHistoryCursor(cursor);
  const page = yield* nonEmptyEvents(start, (before) => events.removed(account, { before, limit }));
  const doers = await events.doers(account, page.events);
  const data = page.events.map(({ number, at, plant: { id, name, tag } }, index) => {
    return {
      event: eventId(number),
      id: String(id),
      name: cut(name),
      tag: tag === undefined ? null : cut(tag),
      removed_at: timestamp(at),
      by: doers[index] ?? null,
    };
  });
  return { data, next_cursor: page.more ? encodeHistoryCursor(page.next) : null };
}

function cut(text: string): string {
  return text.slice(0, 1000).toWellFormed();
}

/** The search also finds a plant by its id. */
async function isFoundByIdAlone(plants: PlantReads, account: AccountNumber, choice: PlantChoice): Promise<boolean> {
  const id = typedPlantId(choice.q ?? "");
  if (id === undefined || choice.tag !== undefined) return false;
  const plant = await plants.find(account, id);
  return plant !== undefined && !passes(plantFilter(choice), plant);
}
