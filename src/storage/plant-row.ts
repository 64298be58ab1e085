import { Failure } from "#core/failure.ts";
import type { ListedPlant, LongPlant, Plant } from "#core/plant.ts";
import { MEMBER_NAMES, type OptionalMember, type PlantTexts, withOptional } from "#core/plant-members.ts";
import type { PlantReads } from "#core/reads.ts";
import type { PlantRecords, ShortPage } from "#core/records.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";
import { LISTED_TEXT_MAX, ORDERS, type PlantOrder, type PlantPageRequest, SHORT_PAGE } from "./plant-page.ts";

/**
 * The texts of one plant, or of a page. With the answer they take a quarter of a millisecond; a MiB leaves three times as much
 * memory to be collected.
 */
export const INLINE_READ = THREAD_TIME.row(
  "plants that the serving thread reads",
  "request",
  { each: 256 * 1024, unit: "bytes" },
  "in a reading thread",
);

type Integer = bigint | number | string;

/** A row of `plants` as a driver returns it. `number` and `id` must be exact, never doubles. */
export interface PlantRow extends TextRow {
  readonly number: bigint | string;
  readonly id: bigint | string;
  readonly revision: Integer;
  readonly created_at: Integer;
  readonly updated_at: Integer;
}

/** The texts of a plant in a row, null for an optional one that it lacks. */
export type TextRow = { readonly name: string } & { readonly [Member in OptionalMember]: string | null };

export const PLANT_COLUMNS = ["number", "id", ...MEMBER_NAMES, "revision", "created_at", "updated_at"] as const;

/** The columns of the texts, qualified with the table. */
export function textsIn(table: string): string {
  return MEMBER_NAMES.map((member) => `${table}.${member}`).join(", ");
}
export const TEXTS = MEMBER_NAMES.join(", ");

export function textsFromRow(row: TextRow): PlantTexts {
  return withOptional({ name: row.name }, (member) => row[member] ?? undefined);
}

export function plantFromRow(row: PlantRow): Plant {
  const plant = {
    number: BigInt(row.number),
    id: BigInt(row.id),
    name: row.name,
    revision: Number(row.revision),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
  return withOptional(plant, (member) => row[member] ?? undefined);
}

/**
 * Runs a statement in the SQL that both engines have, with parameters $1 and following. Its int64s are read as text.
 */
export type Select = <Row extends object>(sql: string, values: readonly (string | number | bigint)[]) => Promise<Row[]>;

/** The bytes of these columns together. Neither engine reads a text to learn its length. */
export function bytesOf(columns: readonly string[]): string {
  return columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
}
/** The bytes of a plant's texts. */
export const TEXT_BYTES = bytesOf(MEMBER_NAMES);
/** All texts, or null for each if these bytes are more than that. */
export function textsUpTo(bytesMax: string | number, bytes = TEXT_BYTES): string {
  return MEMBER_NAMES.map((text) => `CASE WHEN ${bytes} <= ${bytesMax} THEN ${text} END AS ${text}`).join(", ");
}

const columns = (texts: string) =>
  `CAST(number AS text) AS number, CAST(id AS text) AS id, ${texts}, revision, created_at, updated_at`;
const COLUMNS = columns(TEXTS);
/** The columns of a plant, with texts of more bytes left out. */
export const columnsUpTo = (bytesMax: string | number) => columns(textsUpTo(bytesMax));
const OF_ID = "FROM plants WHERE account = $1 AND id = $2";
/** $1 account, $2 id. */
export const FIND_PLANT = `SELECT ${COLUMNS} ${OF_ID}`;
/** SQLite's, where the number is the rowid. $1 account, $2 the number of the last plant. */
export const PLANTS_UP_TO = `SELECT ${COLUMNS} FROM plants WHERE account = $1 AND rowid <= $2 ORDER BY rowid`;

/** $1 account. */
export const COUNT_PLANTS =
  "SELECT CAST(coalesce(sum(count), 0) AS bigint) AS count FROM plant_counts WHERE account = $1";
const FIND_SHORT = `SELECT ${columnsUpTo(INLINE_READ.each)} ${OF_ID}`;
const GREATEST_ID = "SELECT CAST(max(id) AS text) AS id FROM plants WHERE account = $1";

/** Selects the plants of so many ids, with null for all texts if they have more bytes together than a page may. */
function findEach(count: number): string {
  const places = Array.from({ length: count }, (_, index) => `$${index + 2}`).join(", ");
  const these = `FROM plants WHERE account = $1 AND id IN (${places})`;
  return `SELECT ${columns(textsUpTo(LISTED_TEXT_MAX, `(SELECT sum(${TEXT_BYTES}) ${these})`))} ${these}`;
}

function tooLong(): Failure {
  const most = `${LISTED_TEXT_MAX / 1024 / 1024} MiB`;
  return new Failure("address-malformed", `These plants have more than ${most} of text together: ask for fewer ids`);
}

/** The look-up of the serving thread. */
export function shortPlantLookup(select: Select): Pick<PlantRecords, "find"> {
  return {
    async find(account, id) {
      const [row] = await select<PlantRow>(FIND_SHORT, [account, id]);
      return row && shortPlantFromRow(row);
    },
  };
}

/** A row whose texts are null if they are long. */
export function shortPlantFromRow(row: PlantRow): Plant | LongPlant {
  const plant = plantFromRow(row);
  return plant.name === null ? { ...plant, name: undefined } : plant;
}

/** A row of a short page. The name is null if the plant has more than its share of text. */
export interface ShortRow extends Omit<ListedPlant, "name"> {
  readonly id: string;
  readonly name: string | null;
  /** Selected where plants are in its order. */
  readonly number: string;
}

const SHORT_COLUMNS = `CAST(id AS text) AS id, ${textsUpTo(Math.floor(INLINE_READ.each / SHORT_PAGE.each))},
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Few columns, since each takes as long as its text. */
export function shortColumns(order: PlantOrder): string {
  return ORDERS[order].key === "id" ? SHORT_COLUMNS : `${SHORT_COLUMNS}, CAST(number AS text) AS number`;
}

/** Undefined if a plant has too much text. One row more than the page holds shows that there is a next one. */
export function shortPageOf({ query }: PlantPageRequest, rows: readonly ShortRow[]): ShortPage | undefined {
  if (!rows.every(isListed)) return undefined;
  const last = rows.length > query.limit ? rows[query.limit - 1] : undefined;
  return { plants: rows.slice(0, query.limit), next: last && BigInt(last[ORDERS[query.order].key]) };
}

function isListed(row: ShortRow): row is ShortRow & ListedPlant {
  return row.name !== null;
}

/** The look-ups of plants, which are the same on both engines. */
export function plantLookup(select: Select): Pick<PlantReads, "count" | "greatestId" | "find" | "findEach"> {
  return {
    async findEach(account, ids) {
      const rows = await select<PlantRow>(findEach(ids.length), [account, ...ids]);
      if (rows.some(({ name }) => name === null)) throw tooLong();
      const found = new Map(rows.map(plantFromRow).map((plant) => [plant.id, plant]));
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    async find(account, id) {
      const [row] = await select<PlantRow>(FIND_PLANT, [account, id]);
      return row && plantFromRow(row);
    },
    async count(account) {
      return (await select<{ count: number }>(COUNT_PLANTS, [account]))[0]?.count ?? 0;
    },
    async greatestId(account) {
      const [row] = await select<{ id: string | null }>(GREATEST_ID, [account]);
      return row?.id == null ? undefined : BigInt(row.id);
    },
  };
}
