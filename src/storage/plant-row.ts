import { type Plant, plantUnknown } from "#core/plant.ts";
import type { PlantCondition } from "#core/store.ts";

type Integer = bigint | number | string;

/** A row of `plants` as a driver returns it. `number` and `id` must be exact, never doubles. */
export interface PlantRow {
  readonly number: bigint | string;
  readonly id: bigint | string;
  readonly name: string;
  readonly tag: string | null;
  readonly revision: Integer;
  readonly created_at: Integer;
  readonly updated_at: Integer;
}

export const PLANT_COLUMNS = ["number", "id", "name", "tag", "revision", "created_at", "updated_at"] as const;

export function plantFromRow(row: PlantRow): Plant {
  return {
    number: BigInt(row.number),
    id: BigInt(row.id),
    name: row.name,
    tag: row.tag ?? undefined,
    revision: Number(row.revision),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

/** The plant to change or remove. It must exist, and `allows` must accept it. */
export function requiredPlant(row: PlantRow | null | undefined, id: bigint, allows: PlantCondition): Plant {
  if (!row) throw plantUnknown(id);
  const plant = plantFromRow(row);
  allows(plant);
  return plant;
}
