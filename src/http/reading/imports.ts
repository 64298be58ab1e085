import { decodeCursor, encodeCursor } from "#contract/cursor.ts";
import { ImportedPlantsQuery, type ImportRecord, type Imports, type UndoRecord } from "#contract/dashboard/imports.ts";
import { malformed } from "#contract/parameters.ts";
import { timestamp } from "#contract/timestamp.ts";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { type ImportUndo, importUnknown, type PlantImport } from "#core/import.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";

export async function importsPage({ reads: { imports } }: PageParts, { account }: PageRequest) {
  return { data: (await imports.list(account)).map(importRecord) } satisfies Imports;
}

const LAST_IMPORTS = 5;

/** For the Overview. */
export async function lastImports({ imports }: Reads, account: AccountNumber): Promise<ImportRecord[]> {
  const written = (await imports.list(account)).filter(({ counts }) => counts.created + counts.updated > 0);
  return written.slice(0, LAST_IMPORTS).map((one) => {
    const { undo, ...record } = importRecord(one);
    return { ...record, undo: undo && { ...undo, left_plants: [] } };
  });
}

export async function importPage(parts: PageParts, request: PageRequest) {
  return importRecord(await found(parts, request));
}

/** The plants of an import that are still there, in the shape of the list of plants. */
export async function importedPlantsPage(parts: PageParts, request: PageRequest) {
  const { cursor } = readQuery(request.search, ImportedPlantsQuery);
  const after = cursor === undefined ? 0n : decodeCursor("import", cursor);
  if (after === undefined) throw malformed('"cursor" must be a next_cursor of this list, unaltered');
  const { id } = await found(parts, request);
  const { plants, next } = await parts.reads.imports.plants(request.account, id, after);
  return SHAPE_1.plantPageBody(plants, next === undefined ? null : encodeCursor("import", next));
}

async function found({ reads: { imports } }: PageParts, { account, id = "" }: PageRequest): Promise<PlantImport> {
  const one = await imports.find(account, id);
  if (one) return one;
  throw importUnknown(id);
}

function importRecord({ id, at, by, fileName, counts, undo }: PlantImport): ImportRecord {
  const record = { id, file_name: fileName, at: timestamp(at), by: by ?? null, counts };
  return { ...record, undo: undo ? undoRecord(undo) : null };
}

function undoRecord({ state, by, removed, restored, left, leftPlants }: ImportUndo): UndoRecord {
  const plants = leftPlants.map(({ id, name, reason }) => ({ id: String(id), name: name ?? null, reason }));
  return { state, by, removed, restored, left, left_plants: plants };
}
