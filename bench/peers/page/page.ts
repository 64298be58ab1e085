/** Makes the page and its chart from the template, whose text is written by hand, and the figures of a run. */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { repository, work } from "#harness/place.ts";
import type { Results } from "#harness/results.ts";
import { chart, dark, light } from "./chart.ts";
import { lossTable, meaningTable, refusals } from "./keeping.ts";
import { machineTable, settingsList, skippedList } from "./settings.ts";
import { speedTable } from "./speed.ts";
import { upkeepTable } from "./upkeep.ts";

type Piece = (results: Results) => string;

const pieces: Record<string, Piece> = {
  machine: machineTable,
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

/** Writes the page to docs, or as a draft beside the results, and returns its path. */
export async function writePage(results: Results, draft: boolean): Promise<string> {
  const folder = draft ? resolve(work, "page") : resolve(repository, "docs");
  await mkdir(folder, { recursive: true });
  await Bun.write(resolve(folder, "comparison-light.svg"), chart(results, light));
  await Bun.write(resolve(folder, "comparison-dark.svg"), chart(results, dark));
  const path = resolve(folder, "comparison.md");
  await Bun.write(path, await fill(results));
  return path;
}

export async function fill(results: Results): Promise<string> {
  const template = await Bun.file(resolve(import.meta.dir, "template.md")).text();
  return template.replaceAll(/\{\{(.+?)\}\}/g, (_, name: string) => {
    const piece = pieces[name];
    if (!piece) throw new Error(`The template asks for "${name}", which nothing makes`);
    return piece(results);
  });
}
