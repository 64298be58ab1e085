import type { Plant } from "#core/plant.ts";

type Integer = bigint | number | string;

/** A row of `plants` as a driver gives it. `number` and `id` must be exact: never a double. */
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
