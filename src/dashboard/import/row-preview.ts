import type { ImportCount } from "#client/import.ts";
import { PAGE_IDS_MAX } from "#client/page.ts";
import type { PlantChange, StoredPlant } from "#client/plant.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { BULK_ERRORS } from "#contract/limits.ts";
import { MEMBER_NAMES, textsOf, withOptional } from "#contract/plant-members.ts";
import { excerpt } from "../text/sentence.ts";
import type { AttentionList, Part, Plan } from "./plan.ts";

/** A row of the file as the plant that it would make. Null takes an optional text off; undefined leaves it as it is. */
interface PlantRow extends PlantChange {
  readonly line: number;
  readonly id: string;
  readonly name: string;
}

/** A row that would change a plant: its texts here, and those of the file. */
interface ChangedPlant {
  readonly line: number;
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** The first rows whose plants are new, those that change a plant, and the lines of those that are here as they are. */
export interface RowPreview {
  readonly created: readonly PlantRow[];
  readonly changed: readonly ChangedPlant[];
  readonly unchanged: readonly number[];
}

const SHOWN = 5;
/** The first rows of each kind are sought in this beginning of the file; a dry run names no more refused rows. */
const ROWS_SOUGHT_MAX = BULK_ERRORS.max;
const BYTES_SOUGHT_MAX = 4 * 1024 * 1024;

/** Finds the first rows of each kind by two more dry runs; `counts` are those of the first one. */
export async function previewRows(
  client: PlantstoreClient,
  { given, numbered }: Plan,
  counts: Pick<ImportCount, "created" | "updated" | "unchanged">,
  attention: AttentionList,
  signal: AbortSignal,
): Promise<RowPreview> {
  const rows = (await firstRows(given)).filter(({ line }) => !attention.lines.has(line));
  const refused = async (records: readonly string[]) => {
    const run = await client.importPlants(new Blob([records.join("\n")]), { format: "ndjson", dryRun: true, signal });
    return new Set(run.refused.map(({ line }) => rows[line - 1]));
  };
  const { created, updated, unchanged } = counts;
  // No plant has this name, so that a row is refused if its plant is here.
  const name = crypto.randomUUID();
  const isMixed = created > 0 && updated + unchanged > 0;
  const here = isMixed ? await refused(rows.map(({ id }) => record({ id, name }))) : new Set(created > 0 ? [] : rows);
  const differing = updated > 0 ? await refused(rows.map(record)) : new Set();
  const made = [...rows.filter((row) => !here.has(row)), ...(await firstRows(numbered))];
  return {
    created: made.sort((a, b) => a.line - b.line).slice(0, SHOWN),
    changed: await changesBy(
      client,
      rows.filter((row) => differing.has(row)),
      signal,
    ),
    unchanged: rows
      .filter((row) => here.has(row) && !differing.has(row))
      .slice(0, SHOWN)
      .map(({ line }) => line),
  };
}

async function firstRows({ body, lines }: Part): Promise<readonly PlantRow[]> {
  const records = (await body.slice(0, BYTES_SOUGHT_MAX).text()).split("\n").slice(0, -1);
  return records.slice(0, ROWS_SOUGHT_MAX).flatMap((text, at) => {
    try {
      const row = parseWithNumbersAsDigits(text) as Omit<PlantRow, "line">;
      return { line: lines[at] ?? 0, id: String(row.id), ...textsOf(row) };
    } catch {
      return [];
    }
  });
}

/** The row as a create, which knows no text that is to be taken off. */
function record(row: Omit<PlantRow, "line">): string {
  const texts = withOptional({ name: row.name }, (member) => row[member] ?? undefined);
  return `{"id":${row.id},${JSON.stringify(texts).slice(1)}`;
}

async function changesBy(client: PlantstoreClient, rows: readonly PlantRow[], signal: AbortSignal) {
  const looked = rows.slice(0, PAGE_IDS_MAX);
  if (looked.length === 0) return [];
  const { plants } = await client.page({ ids: looked.map(({ id }) => BigInt(id)) }, { signal });
  const here = new Map(plants.map((plant) => [String(plant.id), plant]));
  return looked.flatMap((row) => changeBy(here.get(row.id), row) ?? []).slice(0, SHOWN);
}

/** The first text that the row changes. */
function changeBy(here: StoredPlant | undefined, row: PlantRow): ChangedPlant | undefined {
  const member =
    here && MEMBER_NAMES.find((name) => row[name] !== undefined && (row[name] ?? undefined) !== here[name]);
  if (!member) return undefined;
  return { line: row.line, id: row.id, from: excerpt(here[member] ?? ""), to: excerpt(row[member] ?? "") };
}
