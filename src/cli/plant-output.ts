import type { StoredPlant } from "#client/plant.ts";
import { type Column, printJsonArray, printTable } from "./output.ts";

const COLUMNS: readonly Column<StoredPlant>[] = [
  { title: "ID", value: ({ id }) => String(id) },
  { title: "NAME", value: ({ name }) => name },
  { title: "TAG", value: ({ tag }) => tag ?? "" },
  { title: "ADDED", value: ({ createdAt }) => createdAt.toISOString() },
];

export function printPlants(plants: readonly StoredPlant[]): void {
  printTable(plants, COLUMNS);
}

/** A plant in the shape of the API. */
export function plantRecord({ id, name, tag, createdAt, updatedAt, etag }: StoredPlant) {
  return { id, name, tag, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString(), etag };
}

/** Prints one JSON array of all plants as they arrive. */
export async function printPlantsJson(plants: AsyncIterable<StoredPlant>): Promise<void> {
  await printJsonArray(records(plants));
}

async function* records(plants: AsyncIterable<StoredPlant>) {
  for await (const plant of plants) yield plantRecord(plant);
}
