import type { ImportCount } from "#client/import.ts";
import { PAGE_IDS_MAX } from "#client/page.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { BULK_ERRORS } from "#contract/limits.ts";
import { excerpt } from "../text/sentence.ts";
import type { AttentionList, Part, Plan } from "./plan.ts";

/** A row of the file as the plant that it would make. */
interface PlantRow {
  readonly line: number;
  readonly id: string;
  readonly name: string;
  /** Null takes the tag off; undefined leaves it as it is. */
  readonly tag?: string | null;
}

/** A row that would change a plant: its texts here, and those of the file. */
export interface ChangedPlant {
  readonly line: number;
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** The first rows whose plants are new, those that change a plant, and the lines of those that are here as they are. */
export interface FirstFates {
  readonly created: readonly PlantRow[];
  readonly changed: readonly ChangedPlant[];
  readonly unchanged: readonly number[];
}

const SHOWN = 5;
/** The first rows of each kind are sought in this beginning of the file; a dry run names no more refused rows. */
const ROWS_SOUGHT_MAX = BULK_ERRORS.max;
const BYTES_SOUGHT_MAX = 4 * 1024 * 1024;

/** Finds the first rows of each kind by two more dry runs; `counts` are those of the first one. */
export async function firstFates(
  client: PlantstoreClient,
  { given, numbered }: Plan,
  counts: Pick<ImportCount, "created" | "updated" | "unchanged">,
  attention: AttentionList,
  signal: AbortSignal,
): Promise<FirstFates> {
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
      const { id, name, tag } = parseWithNumbersAsDigits(text) as Omit<PlantRow, "line">;
      return { line: lines[at] ?? 0, id: String(id), name, tag };
    } catch {
      return [];
    }
  });
}

/** The row as a create, which knows no tag that is to be taken off. */
function record({ id, name, tag }: Omit<PlantRow, "line">): string {
  return `{"id":${id},${JSON.stringify({ name, tag: tag ?? undefined }).slice(1)}`;
}

async function changesBy(client: PlantstoreClient, rows: readonly PlantRow[], signal: AbortSignal) {
  const looked = rows.slice(0, PAGE_IDS_MAX);
  if (looked.length === 0) return [];
  const { plants } = await client.page({ ids: looked.map(({ id }) => BigInt(id)) }, { signal });
  const here = new Map(plants.map((plant) => [String(plant.id), plant]));
  return looked.flatMap((row) => changeBy(here.get(row.id), row) ?? []).slice(0, SHOWN);
}

/** The first text that the row changes. */
function changeBy(here: StoredPlant | undefined, { line, id, name, tag }: PlantRow): ChangedPlant | undefined {
  if (!here) return undefined;
  const change = { line, id };
  if (here.name !== name) return { ...change, from: excerpt(here.name), to: excerpt(name) };
  const isSame = tag === undefined || here.tag === (tag ?? undefined);
  return isSame ? undefined : { ...change, from: excerpt(here.tag ?? ""), to: excerpt(tag ?? "") };
}
