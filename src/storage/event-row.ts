import { EVENT_TYPES, type EventType, type PlantEvent } from "#core/event.ts";
import { MEMBER_NAMES, type PlantMember, withOptional } from "#core/plant-members.ts";
import { TEXTS, type TextRow } from "./plant-row.ts";

type Integer = bigint | number | string;

/** An event as a driver returns it, either stored in `plant_events` or derived from its plant. */
export interface EventRow extends TextRow, OldTexts {
  readonly number: bigint | string;
  /** The index in EVENT_TYPES. */
  readonly kind: Integer;
  readonly at: Integer;
  readonly plant_id: bigint | string;
  readonly created_at: Integer;
  readonly updated_at: Integer;
}

/** Of a change, the texts before it. `old_name` is null where the name stayed as it is, since a name may be a MiB. */
type OldTexts = { readonly [Member in PlantMember as `old_${Member}`]: string | null };

const OLD_OF = withOptional({ name: "old_name" } as const, (member) => `old_${member}` as const);
export const OLD_TEXTS = MEMBER_NAMES.map((member) => OLD_OF[member]);
/** The columns of a stored event. */
export const WRITTEN = `number, kind, at, plant_id, ${TEXTS}, ${OLD_TEXTS.join(", ")}, created_at, updated_at`;
/** The same columns, with those that are int64 as text. */
export const EXACT = WRITTEN.replace(/number|plant_id/g, "CAST($& AS text) AS $&");
/** The same columns for a plant at revision 1, which is its own created event. */
export const DERIVED = `number, 0 AS kind, created_at AS at, id AS plant_id, ${TEXTS}, ${OLD_TEXTS.map(
  (old) => `CAST(NULL AS text) AS ${old}`,
).join(", ")}, created_at, updated_at`;

export const KIND_CREATED = 0;
export const KIND_CHANGED = 1;
export const KIND_REMOVED = 2;

/** The maximum number of rows that one page may scan, for plants and for stored events each. */
export const SCANNED_ROWS_MAX = 20_000;
/** The number of rows that are scanned in one step. */
export const SCAN_STEP_ROWS = 2000;
/** A page ends with the event that reaches this much text, in bytes of UTF-8. */
export const PAGE_TEXT_BYTES_MAX = 4 * 1024 * 1024;

/** The texts of the plant in the order of its columns, and those before a change in the order of OLD_TEXTS. */
export function storedTexts({ plant, previous }: Pick<PlantEvent, "plant" | "previous">): (string | null)[] {
  const old = previous && { ...previous, name: previous.name === plant.name ? undefined : previous.name };
  return [
    ...MEMBER_NAMES.map((member) => plant[member] ?? null),
    ...MEMBER_NAMES.map((member) => old?.[member] ?? null),
  ];
}

export function textBytes(event: PlantEvent): number {
  return storedTexts(event).reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ""), 0);
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
  const times = { createdAt: Number(row.created_at), updatedAt: Number(row.updated_at) };
  const plant = { id: BigInt(row.plant_id), name: row.name, ...times };
  return {
    number: BigInt(row.number),
    type,
    at: Number(row.at),
    plant: withOptional(plant, (member) => row[member] ?? undefined),
    previous:
      kind === KIND_CHANGED
        ? withOptional({ name: row.old_name ?? row.name }, (member) => row[OLD_OF[member]] ?? undefined)
        : undefined,
  };
}
