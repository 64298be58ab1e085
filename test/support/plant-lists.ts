import type { AccountNumber, NewPlant, Plant } from "#core/plant.ts";
import type { PlantReads } from "#core/reads.ts";
import type { PlantPage, PlantQuery } from "#core/records.ts";

export function newPlant(id: bigint | number, name = `plant ${id}`, tag?: string): NewPlant {
  return { id: BigInt(id), name, tag };
}

/** Plants with the ids from `first` on. */
export function newPlants(count: number, first = 0): NewPlant[] {
  return Array.from({ length: count }, (_, at) => newPlant(first + at));
}

/** The condition of a change or removal that any plant meets. */
export { ALWAYS as always } from "#core/records.ts";

/** Asks for the first thousand plants by id. */
export const EVERYTHING: PlantQuery = { order: "id", limit: 1000, tag: undefined, q: undefined, after: undefined };

/** All plants of a list, page by page. */
export function listAll(
  plants: Pick<PlantReads, "list">,
  account: AccountNumber,
  query: Partial<PlantQuery> = {},
): Promise<Plant[]> {
  return readAll((after) => plants.list(account, { ...EVERYTHING, ...query, after }), query.limit ?? EVERYTHING.limit);
}

/** The plants of all pages, none of which may have more than `limit`. */
export async function readAll(
  readPage: (after: bigint | undefined) => Promise<PlantPage>,
  limit: number,
): Promise<Plant[]> {
  const all: Plant[] = [];
  let after: bigint | undefined;
  do {
    const page = await readPage(after);
    if (page.plants.length > limit)
      throw new Error(`A page has ${page.plants.length} plants, and its limit is ${limit}`);
    all.push(...page.plants);
    after = page.next;
  } while (after !== undefined);
  return all;
}

export async function exportAll(plants: Pick<PlantReads, "export">, account: AccountNumber): Promise<Plant[]> {
  return (await Array.fromAsync(plants.export(account))).flat();
}
