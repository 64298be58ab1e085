import { EVENT_TYPES, type EventType, type PlantEvent } from "#core/event.ts";

type Integer = bigint | number | string;

/** An event as a driver returns it, either stored in `plant_events` or derived from its plant. */
export interface EventRow {
  readonly number: bigint | string;
  /** The index in EVENT_TYPES. */
  readonly kind: Integer;
  readonly at: Integer;
  readonly plant_id: bigint | string;
  readonly name: string;
  readonly tag: string | null;
  /** Null where the name stayed as it is, since a name may be a MiB. */
  readonly old_name: string | null;
  readonly old_tag: string | null;
  readonly created_at: Integer;
  readonly updated_at: Integer;
}

/** The columns of a stored event. */
export const WRITTEN = "number, kind, at, plant_id, name, tag, old_name, old_tag, created_at, updated_at";
/** The same columns, with those that are int64 as text. */
export const EXACT = WRITTEN.replace(/number|plant_id/g, "CAST($& AS text) AS $&");
/** The same columns for a plant at revision 1, which is its own created event. */
export const DERIVED =
  "number, 0 AS kind, created_at AS at, id AS plant_id, name, tag, CAST(NULL AS text) AS old_name, CAST(NULL AS text) AS old_tag, created_at, updated_at";

export const KIND_CREATED = 0;
export const KIND_CHANGED = 1;
export const KIND_REMOVED = 2;

/** The maximum number of rows that one page may scan, for plants and for stored events each. */
export const SCANNED_ROWS_MAX = 20_000;
/** The number of rows that are scanned in one step. */
export const SCAN_STEP_ROWS = 2000;
/** A page ends with the event that reaches this much text, in bytes of UTF-8. */
export const PAGE_TEXT_BYTES_MAX = 4 * 1024 * 1024;

export function textBytes({ plant, previous }: PlantEvent): number {
  const oldName = previous?.name === plant.name ? undefined : previous?.name;
  const texts = [plant.name, plant.tag, oldName, previous?.tag];
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ""), 0);
}

/** A bit mask with one bit for each kind. */
export function kindMask(types: ReadonlySet<EventType> | undefined): number {
  return EVENT_TYPES.reduce((mask, type, kind) => (!types || types.has(type) ? mask | (1 << kind) : mask), 0);
}

export function eventFromRow(row: EventRow): PlantEvent {
  const kind = Number(row.kind);
  const type = EVENT_TYPES[kind];
  if (type === undefined)
    throw new Error(`The event ${row.number} is of kind ${kind}, which this release does not know`);
  return {
    number: BigInt(row.number),
    type,
    at: Number(row.at),
    plant: {
      id: BigInt(row.plant_id),
      name: row.name,
      tag: row.tag ?? undefined,
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
    },
    previous: kind === KIND_CHANGED ? { name: row.old_name ?? row.name, tag: row.old_tag ?? undefined } : undefined,
  };
}
