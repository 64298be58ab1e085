/**
 * Writes the figures of docs/comparison.md, between their markers, from the stored results.
 * The text around them is written by hand. Without stored results the figures stay as the page has them.
 */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { repository, work } from "#harness/place.ts";
import { keptResults, type OperationResults, type Results } from "#harness/results.ts";
import {
  lossTable,
  machineLine,
  meaningTable,
  refusals,
  settingsList,
  skippedList,
  speedTable,
  upkeepTable,
} from "./creates.ts";
import { operationNotes, operationTable } from "./operations.ts";

const OPERATION_PIECES: Record<string, (results: OperationResults) => string> = {
  "operations at 1": (results) => operationTable(results, 1),
  "operations at 64": (results) => operationTable(results, 64),
  "operations at 256": (results) => operationTable(results, 256),
  "operations agree": operationNotes,
};

const PIECES: Record<string, (results: Results) => string> = {
  machine: machineLine,
  "speed at 1": (results) => speedTable(results, { connections: 1, order: "sequential" }),
  "speed at 64": (results) => speedTable(results, { connections: 64, order: "sequential" }),
  "speed at 256": (results) => speedTable(results, { connections: 256, order: "sequential" }),
  "speed at 256 scattered": (results) => speedTable(results, { connections: 256, order: "scattered" }),
  refusals,
  upkeep: upkeepTable,
  meaning: meaningTable,
  loss: lossTable,
  settings: settingsList,
  skipped: skippedList,
};

const FIGURES = /(<!-- figures: (.+?) -->\n\n)[\s\S]*?(\n\n<!-- end -->)/g;

/** Writes the page to docs, or as a draft beside the results, and returns its path. */
export async function writePage(draft: boolean): Promise<string> {
  const docs = resolve(repository, "docs");
  const folder = draft ? resolve(work, "page") : docs;
  await mkdir(folder, { recursive: true });
  const kept = { creates: await keptResults("creates", draft), operations: await keptResults("operations", draft) };
  const page = await Bun.file(resolve(docs, "comparison.md")).text();
  const path = resolve(folder, "comparison.md");
  await Bun.write(path, fill(kept, page));
  return path;
}

interface Kept {
  creates?: Results | undefined;
  operations?: OperationResults | undefined;
}

/** The page with all its figures made anew, as far as there are results. */
export function fill({ creates, operations }: Kept, page: string): string {
  return page.replaceAll(FIGURES, (whole, start: string, name: string, end: string) => {
    const [make, makeOther] = [PIECES[name], OPERATION_PIECES[name]];
    if (!make && !makeOther) throw new Error(`The page asks for "${name}", which nothing makes`);
    const made = make ? creates && make(creates) : operations && makeOther?.(operations);
    return made === undefined ? whole : `${start}${made}${end}`;
  });
}
